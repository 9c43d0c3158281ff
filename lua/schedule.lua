--[[
schedule - admit URIs: uniqueness, record and queue in one step, so that none is ever seen but lost.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  queue     str   first of eight arguments for each URI (at most 1,000 URIs a call)
      2  group     str   queue group, or empty
      3  sheet     int   number of the sheet combination, 0 none
      4  class     int   directive * 256 + precedence
      5  force     0/1   queue it although it is known
      6  tag       str   source tag, or empty
      7  fp        18 B  fingerprint
      8  record    bytes msgpack [fingerprint, cost, map]
RETURNS  version, run state, now, then one text a URI: +ID added, *ID requeued, =HOW known, !REASON refused
ERRORS   NOCRAWL  no such crawl
         STATE    the crawl is stopped
         FULL     Redis is at its soft memory limit
WRITES   n m q rec ix seen unseen bf queues inactive due g res later lat log
]]
-- @include admit
-- @include save
-- @include memory
-- @include revive

local function over_quota(tag)
  local most = S.max_documents_per_source_tag
  return most >= 0 and tag ~= '' and tonumber(call('HGET', T .. 'tags', tag) or 0) >= most
end

local function again(known, name, class) -- forced: not doubled (item 6)
  local how = type(known) == 'string' and how_known(known, name)
  if not how or (how == 'finished' and string.sub(known, 1, 1) == '!') then return nil end
  local q, why = queue(name)
  if not q then return '!' .. why end
  if how == 'finished' then return revive(q, known, class) end
  if how == 'pending' then move_up(q, known, class) end
  return '=' .. how
end

local function one(i)
  local name, class, fp = ARGV[i], tonumber(ARGV[i + 3]), ARGV[i + 6]
  local known, why = seen(fp)
  if known == nil then return '!' .. why end
  if known and ARGV[i + 4] ~= '1' then
    if known == true then bump('maybe_seen', 1) end
    return '=' .. (known == true and 'maybe_seen' or how_known(known, name))
  end
  if known then
    local answer = again(known, name, class)
    if answer then return answer end
  end
  if over_quota(ARGV[i + 5]) then return '!quota of its source tag reached' end
  local q, bad = queue(name)
  if not q then return '!' .. bad end
  local fine, wrong = readable(q, bucket('rec:', (n.id or 0) + 1))
  if not fine then return '!' .. wrong end
  begin(q, tonumber(ARGV[i + 2]), ARGV[i + 1])
  return (known and '*' or '+') .. admit(q, fp, class, ARGV[i + 7])
end

local bad = open() or refused_now()
if bad then return bad end
local reply = head()
for i = 1, #ARGV, 8 do reply[#reply + 1] = one(i) end
if S.uniqueness == 'bitfield' then prepare_next() end
wake_workers()
save()
return reply
