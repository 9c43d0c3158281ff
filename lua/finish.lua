--[[
finish - take the outcomes of fetches: disposition, budget, politeness, retry, retirement, next fetch.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  id        int   first of seven arguments for each outcome
      2  token     str   of the claim
      3  status    int   fetch status (Heritrix' numbers)
      4  duration  ms    of the fetch, or empty
      5  size      bytes or empty
      6  extras    str   "name=value;…": delay, crawl_delay, retry_after, refetch, modified, digest, tag, flags (r c u), class, fp (hex)
      7  record    bytes the new record, or empty; with class and fp: the prerequisite's record
RETURNS  version, run state, now, then one text an outcome: +VERDICT, GONE, STALE or !REASON
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
WRITES   n m q rec try res ix lease own w later lat due ready inactive retired g gw queues unseen bf tags conf log seen
]]
-- @include usual
-- @include take_outcome
-- @include limits
-- @include save

local bad = open()
if bad then return bad end
past_memory_limit()
local reply, ids = head(), {}
for i = 1, #ARGV, 7 do ids[#ids + 1] = ARGV[i] end
prefetch(K_OWN, ids)
for i = 1, #ARGV, 7 do
  local usual = ARGV[i + 5] == '' and ARGV[i + 6] == '' and usual_end(ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4])
  reply[#reply + 1] = usual and '+succeeded' or take_outcome(i)
end
settle_ends()
check_limits()
write_held()
wake_workers()
save()
reply[2] = S.run_state
return reply
