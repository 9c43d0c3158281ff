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
-- @include finish_all
-- @include save

local bad = open()
if bad then return bad end
past_memory_limit()
local reply = head()
finish_all(1, reply)
write_held()
wake_workers()
save()
reply[2] = S.run_state
return reply
