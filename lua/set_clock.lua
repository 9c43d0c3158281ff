--[[
set_clock - set the time of a crawl that was created with a test clock.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  now  ms
RETURNS  version, run state, now
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
         STATE    the crawl runs by the server's clock
WRITES   n
]]
-- @include save

local bad = open()
if bad then return bad end
if S.test_clock ~= 1 then return redis.error_reply('STATE this crawl runs by the clock of the server') end
now = max(now, tonumber(ARGV[1]))
n.test_now, n.clock_max = now, now
n_touched.test_now, n_touched.clock_max = true, true
save()
return head()
