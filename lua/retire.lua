--[[
retire - take a queue out of the crawl; its URIs stay pending, what is out may finish.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  queue  str  queue name
      2  why    str  reason, shown to operators
RETURNS  version, run state, now, 1 retired, 0 it was already
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
         BADARG   no such queue
WRITES   n m due ready inactive retired gw queues
]]
-- @include reenqueue
-- @include named
-- @include save

local bad = open()
if bad then return bad end
local q, wrong = named(ARGV[1])
if not q then return wrong end
local reply = head()
reply[4] = q.state == 'retired' and 0 or 1
if q.state ~= 'retired' then retire(q, ARGV[2]) end
wake_workers()
save()
return reply
