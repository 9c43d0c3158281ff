--[[
budget - set a queue's total budget or precedence, or forget what it has spent; wakes it if it was retired for its budget.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  queue       str  queue name
      2  total       int  cost units, -1 unlimited, -2 as the settings say, or empty: unchanged
      3  reset       0/1  set what was spent, and the counts the quotas look at, to nothing
      4  precedence  int  0-255, -1 as the settings say, or empty: unchanged
RETURNS  version, run state, now, spent, total budget, state
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
         BADARG   no such queue
WRITES   n m due ready inactive retired gw queues
]]
-- @include budgets
-- @include named
-- @include save

local bad = open()
if bad then return bad end
local q, wrong = named(ARGV[1])
if not q then return wrong end
if ARGV[2] ~= '' then put(q, 'budget', tonumber(ARGV[2])) end
if ARGV[3] == '1' then
  put(q, 'spent', 0)
  put(q, 'session_start', 0)
end
if ARGV[4] ~= '' then
  put(q, 'base', tonumber(ARGV[4]))
  local before = q.precedence
  put(q, 'precedence', weighed(q))
  if q.state == 'ready' then reenqueue(q) elseif q.state == 'inactive' and q.precedence ~= before then place(q, 'inactive') end
end
if q.state == 'retired' and within_budget(q) then unretire(q) end
wake_workers()
save()
local reply = head()
reply[4], reply[5], reply[6] = q.spent, total_budget(q, settings_of(q)), q.state
return reply
