--[[
unretire - bring retired queues back, in order of retirement, into a new session: one, all, or those that were over a budget that has grown.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  queue   str  queue name, or empty for all
      2  budget  0/1  only those retired for their budget that may go on under the present one
      3  upto    int  rotation number after which to stop, 0 at first
      4  skip    int  where to go on in `retired` (0 at first)
      5  limit   int  queues of this call
RETURNS  version, run state, now, how many came back, upto and skip of the next call (skip -1 at the end)
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
         BADARG   no such queue
WRITES   n m retired inactive due queues
]]
-- @include budgets
-- @include named
-- @include save

local back = 0

local function consider(q, only_budget)
  if not q or q.state ~= 'retired' or (only_budget and not within_budget(q)) then return false end
  unretire(q)
  back = back + 1
  return true
end

local bad = open()
if bad then return bad end
local only, upto, skip, limit = ARGV[2] == '1', tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
if upto == 0 then upto = n.rotation or 0 end
local names = { ARGV[1] }
if ARGV[1] == '' then
  names = call('ZRANGE', K_RETIRED, '-inf', text(upto), 'BYSCORE', 'LIMIT', skip, limit)
else
  local _, wrong = named(ARGV[1])
  if wrong then return wrong end
end
for _, name in ipairs(names) do
  if not consider(queue(name), only) then skip = skip + 1 end
end
wake_workers()
save()
local reply = head()
reply[4], reply[5], reply[6] = back, upto, (ARGV[1] == '' and #names == limit) and skip or -1
return reply
