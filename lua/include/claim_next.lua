-- @include reap
-- @include wake_due
-- @include dates
-- @include turns
-- @include last_claim
-- @include give
-- @include roomy
-- @include limits
-- A claim, step by step (design 8): expired leases, due queues and dates first, then turns.
-- @exports claim_next claims
local function claim_next(token, worker, queues, per_queue, lease_ms, name) -- ms until there may be more, as next_wait; 0: again now
  local c = { named = name ~= '', token = token, worker = worker, queues = queues, per_queue = per_queue, room = nil,
    expiry = text(now + (lease_ms > 0 and lease_ms or S.lease_ms)), own = token .. ' ' .. worker .. ' ' .. text(now) .. ' ' }
  reap()
  wake_due(c)
  promote()
  check_limits()
  local stuck = pool_empty()
  if S.run_state == 'RUN' and not claim_again(worker, token) then
    if S.max_in_flight_per_worker > 0 then c.room = S.max_in_flight_per_worker - held(worker) end
    if c.named then take_named(c, name) else stuck = take_turns(c) or stuck end
  end
  local served = settle_turns(c) >= queues -- who got all that was asked for comes again at once
  write_leases()
  note_claimed(worker, token)
  return (stuck or served) and 0 or next_wait(name)
end

local function claims(wait) -- the reply, when all is written
  for _, why in ipairs(foreign) do troubles[#troubles + 1] = why end
  claimed[1], claimed[2], claimed[3], claimed[4], claimed[5], claimed[6] = S.version, S.run_state, now, wait, expired, troubles
  return claimed
end
