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
  local args, last = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, 0
  for field, value in pairs(q._) do
    args[last + 1], args[last + 2] = field, TEXTUAL[field] and value or text(value)
    last = last + 2
  end
  call('HSET', T .. 'm:' .. q.name, unpack(args, 1, last))
  local now_level = level(q.pending)
  if q.new or now_level ~= level(q.was_pending) then zput(K_QUEUES, q.name, text(now_level)) end
  if q.new or q.state ~= q.was_state or (q.pending == 0) ~= (q.was_pending == 0) then
    if not q.new then tally(q.was_state, q.was_pending, -1) end
    tally(q.state, q.pending, 1)
  end
end

local function save()
  for _, q in pairs(queues) do
    if next(q._) then save_queue(q) end
  end
  write_counters()
  flush_all()
end
