--[[
snooze - keep a queue from being claimed for a while; a snooze that runs is replaced, politeness stays.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  queue   str  queue name
      2  for_ms  ms   from now on
RETURNS  version, run state, now, until ms, 1 if that is a long snooze (snooze_long_ms)
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
         BADARG   no such queue
WRITES   n m due ready inactive queues
]]
-- @include reenqueue
-- @include named
-- @include save

local bad = open()
if bad then return bad end
local q, wrong = named(ARGV[1])
if not q then return wrong end
local wait = tonumber(ARGV[2])
put(q, 'snoozed_until', now + wait)
if q.state == 'due' or q.state == 'ready' or q.state == 'inactive' then place(q, 'due') end
wake_workers()
save()
local reply = head()
reply[4], reply[5] = now + wait, wait > S.snooze_long_ms and 1 or 0
return reply
