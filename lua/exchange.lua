--[[
exchange - finish, then claim, as the two scripts would one after the other: half the calls for a worker that takes one URI at a time.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  token      hex  of the new claim; these five as in claim
      2  worker     str
      3  queues     int
      4  per_queue  int
      5  lease_ms   ms
      6  id         int  first of seven arguments for each outcome, as in finish
      7  token      str
      8  status     int
      9  duration   ms
     10  size       bytes
     11  extras     str
     12  record     bytes
RETURNS  version, run state, now, what finish answers (one text an outcome), what claim replies
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
WRITES   n m q rec try res ix lease own w later lat due ready inactive retired g gw queues unseen bf tags conf log seen
]]
-- @include finish_all
-- @include claim_next
-- @include save

local bad = open()
if bad then return bad end
past_memory_limit()
local answers = {}
finish_all(6, answers)
local wait = claim_next(ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), '')
write_held()
wake_workers()
save()
return { S.version, S.run_state, now, answers, claims(wait) }
