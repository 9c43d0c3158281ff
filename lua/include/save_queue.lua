-- @include queue
-- What of a queue a call has changed: its hash, its place in the list of queues, how many queues stand in which state.
-- @general
-- @exports save_queue
local function tally(state, pending, by) -- in process and exhausted are in no zset; empty ones elsewhere show as exhausted
  if state == 'in_process' or state == 'exhausted' then
    bump('queues_' .. state, by)
  elseif pending == 0 then
    bump('empty_' .. state, by)
  end
end

-- Its `usual`, which tells the usual paths in one word what they want to know: its precedence, with `*` when it is in no session; with `+` when
-- more or fewer of its URIs are out than its state says; or `-`, when it has more fields than most.
local function in_a_word(q)
  if q.more then return '-' end
  local precedence = text(q.precedence)
  if q.in_flight ~= (q.state == 'in_process' and 1 or 0) then return precedence .. '+' end
  return q.active == 0 and precedence .. '*' or precedence
end

local function changes(q) -- fields and values in turn, and how many of both
  local was, args, size = q.was, { q.state, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, 0
  if q.begun or q.state ~= was[1] then args[1], args[2], size = 'state', q.state, 2 end -- of a new one told, though it is the default
  local usual, made = in_a_word(q), q.new and size > 0
  if usual ~= was[2] and (made or not q.new) then args[size + 1], args[size + 2], size = 'usual', usual, size + 2 end
  for i = 3, 12 do
    local field = HOT[i]
    local value = q[field]
    if value ~= was[i] or (made and i <= AT_ONCE_THERE) then
      args[size + 1], args[size + 2], size = field, TEXTS[value] or text(value), size + 2
    end
  end
  if q.put then
    for field in pairs(q.put) do
      args[size + 1], args[size + 2], size = field, TEXTUAL[field] and q[field] or text(q[field]), size + 2
    end
  end
  return args, size
end

local function save_queue(q)
  local args, size = changes(q)
  if size == 0 then return end
  call('HSET', q.key, unpack(args, 1, size))
  local before, was_state = q.was[3], q.was[1]
  local to = new_level(q.new and -1 or before, q.pending)
  if to then zput(K_QUEUES, q.name, to) end
  if q.new or q.state ~= was_state or (q.pending == 0) ~= (before == 0) then
    if not q.new then tally(was_state, before, -1) end
    tally(q.state, q.pending, 1)
  end
end
