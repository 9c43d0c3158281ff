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
-- @include claim_next
-- @include save

local bad = open()
if bad then return bad end
past_memory_limit()
local wait = claim_next(ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6])
write_held()
wake_workers()
save()
return claims(wait)
