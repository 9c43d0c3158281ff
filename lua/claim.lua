--[[
claim - lease the next URIs to a worker; before that, reap expired leases, wake due queues and bring in dated URIs.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  token      hex  8 random bytes, from the client
      2  worker     str  who claims
      3  queues     int  from how many queues at most
      4  per_queue  int  URIs of one queue at most
      5  lease_ms   ms   0: the setting
      6  queue      str  only this queue, or empty
RETURNS  version, run state, now, wait ms (0: again now, -1: only other calls bring something), expired leases, troubles, then for each URI
         id, queue, attempts, lost leases, record; expired: "id worker queue" texts, troubles: what could not be given out
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
WRITES   n m q rec try res ix lease own w later lat due ready inactive retired g gw queues conf log
]]
-- @include reap
-- @include wake_due
-- @include dates
-- @include turns
-- @include visit
-- @include roomy
-- @include limits
-- @include save

local bad = open()
if bad then return bad end
past_memory_limit()
local c = { named = ARGV[6] ~= '', token = ARGV[1], worker = ARGV[2], queues = tonumber(ARGV[3]), per_queue = tonumber(ARGV[4]), lease_ms = tonumber(ARGV[5]) }
c.expiry, c.own = text(now + (c.lease_ms > 0 and c.lease_ms or S.lease_ms)), c.token .. ' ' .. c.worker .. ' ' .. text(now) .. ' '
reap()
wake_due(c)
promote()
check_limits()
local stuck = pool_empty()
if S.run_state == 'RUN' and not claim_again(c) then
  if S.max_in_flight_per_worker > 0 then c.room = S.max_in_flight_per_worker - held(c.worker) end
  if c.named then take_named(c, ARGV[6]) else stuck = take_turns(c) or stuck end
end
settle_turns(c)
write_leases()
local wait = stuck and 0 or next_wait(ARGV[6])
write_held()
note_claimed(c)
wake_workers()
save()
for _, why in ipairs(foreign) do troubles[#troubles + 1] = why end
claimed[1], claimed[2], claimed[3], claimed[4], claimed[5], claimed[6] = S.version, S.run_state, now, wait, expired, troubles
return claimed
