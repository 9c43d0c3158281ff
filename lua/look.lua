--[[
look - all that is known of one URI, by its fingerprint or its id; changes nothing.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  fp     18 B  or empty when the id is given
      2  id     int   or empty when the fingerprint is given
      3  queue  str   where it would be
RETURNS  version, run state, now, how it is known, id, then each or empty: record, attempts, result, lease, date, score in its queue
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
WRITES   nothing
]]
-- @include uniqueness

local bad = open()
if bad then return bad end
local reply, id, how = head(), ARGV[2], ''
if ARGV[1] ~= '' then
  local known, why = seen(ARGV[1])
  if known == nil then return redis.error_reply(why) end
  how = known and known_as(known) or '=unknown'
  if string.sub(how, 1, 1) == '!' then return redis.error_reply(string.sub(how, 2)) end
  how = string.sub(how, 2)
  id = type(known) == 'string' and known or ''
  if string.sub(id, 1, 1) == '!' then how, id = how .. ' ' .. string.sub(id, 2), '' end
end
reply[4], reply[5] = how, id
local places = id == '' and {} or { { 'HGET', bucket('rec:', id), id }, { 'HGET', bucket('try:', id), id }, { 'HGET', bucket('res:', id), id },
  { 'HGET', K_OWN, id }, { 'HGET', K_LAT, id }, { 'ZSCORE', T .. 'q:' .. ARGV[3], id } }
for i, place in ipairs(places) do reply[5 + i] = read(unpack(place)) or '' end
return reply
