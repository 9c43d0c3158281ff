--[[
configure - change settings of the crawl or of a sheet combination; every worker sees the new version with its next call.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  version  int  new version of the crawl
      2  sheet    int  number of a sheet combination (its values are replaced whole), 0: the crawl (values are put over the old ones)
      3  name     str  of a setting, first of two arguments for each
      4  value    str
RETURNS  version, run state, now
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
WRITES   n conf
]]
-- @include partition
-- @include save

local bad = open()
if bad then return bad end
local key, values = K_CONF, {}
for i = 3, #ARGV do values[#values + 1] = ARGV[i] end
if ARGV[2] ~= '0' then
  key = T .. 'conf:' .. ARGV[2]
  call('DEL', key)
end
if #values > 0 then call('HSET', key, unpack(values)) end
call('HSET', K_CONF, 'version', ARGV[1])
S.version = tonumber(ARGV[1])
if S.run_state == 'RUN' then call('PUBLISH', T .. 'wake', '0') end -- sleepers look again: a floor or budget may have moved
save()
return head()
