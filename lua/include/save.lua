-- @include queue
-- Writes what a call changed: queue hashes, the list of queues, how many queues stand in which state, the counters.
-- @exports save
local function level(pending) -- floor(log2), -1 when empty
  local _, exponent = math.frexp(pending)
  return exponent - 1
end

local function tally(state, pending, by) -- in process and exhausted are in no zset; empty ones elsewhere show as exhausted
  if state == 'in_process' or state == 'exhausted' then
    bump('queues_' .. state, by)
  elseif pending == 0 then
    bump('empty_' .. state, by)
  end
end

local function save_queue(q)
  local args = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
  for i = 1, q.changes do -- a field that changed twice stands there twice, with its last value
    local field = q.changed[i]
    args[2 * i - 1], args[2 * i] = field, TEXTUAL[field] and q[field] or text(q[field])
  end
  call('HSET', T .. 'm:' .. q.name, unpack(args, 1, 2 * q.changes))
  local now_level = level(q.pending)
  if q.new or now_level ~= level(q.was_pending) then zput(K_QUEUES, q.name, text(now_level)) end
  if q.new or q.state ~= q.was_state or (q.pending == 0) ~= (q.was_pending == 0) then
    if not q.new then tally(q.was_state, q.was_pending, -1) end
    tally(q.state, q.pending, 1)
  end
end

local function save()
  for _, q in pairs(queues) do
    if q.changes > 0 then save_queue(q) end
  end
  write_counters()
  flush_all()
end
