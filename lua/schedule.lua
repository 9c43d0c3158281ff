--[[
schedule - admit URIs: uniqueness, record and queue in one step, so that none is ever seen but lost.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  queue     str   first of four arguments for each URI (at most 1,000 URIs a call)
      2  place     str   class (directive * 256 + precedence), or "class force sheet group tag": force 0/1 = queue it although it is
                         known, sheet = number of the sheet combination (0 none), group and tag (source tag): - for none
      3  fp        18 B  fingerprint
      4  record    bytes msgpack [fingerprint, cost, map]
RETURNS  version, run state, now, then one text a URI: +ID added, *ID requeued, =HOW known, !REASON refused
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
         STATE    the crawl is stopped
         FULL     Redis is at its soft memory limit
WRITES   n m q rec ix seen unseen bf queues inactive due g res log
]]
-- @include usual_arrival
-- @include any_arrival
-- @include wake_up
-- @include save
-- @include memory

local classes = {} -- of this call: place -> class, false if there is more to it
local news = 0 -- how many new ones in a row: from some on, the next is written without a look whether it is known

local function one(name, place, fp, record)
  local class, force, sheet, group_name, tag = classes[place], '0', 0, '', '-'
  if class == nil then
    class = tonumber(place) or false
    classes[place] = class
  end
  local usual, answer = class and true, nil
  if usual and news > 3 then answer = usual_arrival(name, class, fp, record, true) end
  if answer then return answer end
  if not class then
    class, force, sheet, group_name, tag = string.match(place, '^(%d+) ([01]) (%d+) (%S+) (.+)$')
    class, sheet = tonumber(class), tonumber(sheet)
    if not class then return '!bad argument: place' end
  end
  local known, why = seen(fp)
  if known == nil then return '!' .. why end
  if known and force == '0' then
    news = 0
    if known == true then bump('maybe_seen', 1) end
    return known_as(known)
  end
  if usual then answer = usual_arrival(name, class, fp, record) end
  if answer then
    if S.uniqueness == 'exact' then news = news + 1 end
    return answer
  end
  settle_arrival(name)
  return any_arrival(known, name, class, fp, record, sheet, group_name, tag)
end

local bad = open() or refused_now()
if bad then return bad end
local reply = head()
local args, size = ARGV, #reply
for i = 1, #ARGV, 4 do
  size = size + 1
  reply[size] = one(args[i], args[i + 1], args[i + 2], args[i + 3])
end
if S.uniqueness == 'bitfield' then prepare_next() end
settle_arrivals()
wake_workers()
save()
return reply
