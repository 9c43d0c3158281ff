--[[
reorder - give waiting, leased or dated URIs another directive or precedence; among their new equals they keep their age.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  directive   int  0-3, or empty: as it is
      2  precedence  int  0-255, low is given out first, or empty: as it is
      3  queue       str  first of two arguments for each URI: where it is
      4  id          int  its id
RETURNS  version, run state, now, then one number a URI: 1 moved, 0 not there or there already
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
WRITES   n m q own lat inactive queues
]]
-- @include lease
-- @include save

local directive, precedence = tonumber(ARGV[1]), tonumber(ARGV[2])

local function moved(score) -- leases and dates carry the score or class of the place the URI goes back to
  local at, of = floor(score / P51), floor(score % P51 / P43)
  return (directive or at) * P51 + (precedence or of) * P43 + score % P43
end

local function weigh(q) -- a better URI moves its queue
  if settings_of(q).queue_precedence_policy ~= 'highest_uri' then return end
  local now_is = weighed(q)
  if now_is == q.precedence then return end
  put(q, 'precedence', now_is)
  if q.state == 'inactive' then place(q, 'inactive') end
end

local function waiting(name, id)
  local stored = read('ZSCORE', T .. 'q:' .. name, id)
  local score = stored and negative(stored)
  local q = score and queue(name)
  if not q then return nil end
  local to = moved(tonumber(score))
  if to == tonumber(score) then return 0 end
  call('ZADD', T .. 'q:' .. name, 'XX', negative(text(to)), id)
  weigh(q)
  return 1
end

local function leased(id)
  local l = lease_of(id)
  if not l or l.deleted then return nil end
  local to = text(moved(tonumber(l.score)))
  if to == l.score then return 0 end
  l.score = to
  write_lease(l)
  return 1
end

local function dated(id)
  local name, class, kind = string.match(call('HGET', K_LAT, id) or '', '^(%S+) (%d+) (%S+)$')
  if not name then return nil end
  local to = text(moved(tonumber(class) * P43) / P43)
  if to == class then return 0 end
  hput(K_LAT, id, name .. ' ' .. to .. ' ' .. kind)
  return 1
end

local bad = open()
if bad then return bad end
local reply = head()
for i = 3, #ARGV, 2 do reply[#reply + 1] = waiting(ARGV[i], ARGV[i + 1]) or leased(ARGV[i + 1]) or dated(ARGV[i + 1]) or 0 end
wake_workers()
save()
return reply
