-- @include levels
-- @include ready
-- @include save_queue
-- Writes what a call changed: queues, counters, and all that was gathered.
-- @exports save
local function save()
  if unsettled then unsettled() end
  for _, q in pairs(queues) do save_queue(q) end
  write_counters()
  flush_all()
end
