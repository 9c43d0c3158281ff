--[[
wake - end the snooze or retry delay of one queue, or of all that are due later; politeness stays (a departure from Heritrix).

KEYS     the fixed keys (include/keys.lua)
ARGV  1  queue  str  queue name, or empty for all
      2  skip   int  where to go on in `due` (0 at first)
      3  limit  int  queues of this call
RETURNS  version, run state, now, woken, skip of the next call or -1 at the end
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
         BADARG   no such queue
WRITES   n m due ready inactive gw queues
]]
-- @include reenqueue
-- @include named
-- @include save

local woken = 0

local function wake(q)
  if q.snoozed_until > now then woken = woken + 1 end
  put(q, 'snoozed_until', 0)
  if q.state == 'due' then reenqueue(q) end
  return q.state == 'due'
end

local bad = open()
if bad then return bad end
local skip, limit, names = tonumber(ARGV[2]), tonumber(ARGV[3]), { ARGV[1] }
if ARGV[1] == '' then names = call('ZRANGE', K_DUE, skip, skip + limit - 1) end
for _, name in ipairs(names) do
  local q, wrong
  if ARGV[1] == '' then q = queue(name) else q, wrong = named(name) end
  if wrong then return wrong end
  if not q or wake(q) then skip = skip + 1 end
end
wake_workers()
save()
local reply = head()
reply[4], reply[5] = woken, (ARGV[1] == '' and #names == limit) and skip or -1
return reply
