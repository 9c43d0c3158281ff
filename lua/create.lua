--[[
create - make a partition with its settings; harmless when it is there already.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  name   str  of a field of conf, first of two arguments for each
      2  value  str
RETURNS  1 made, or made before but its filter not yet tested; 0 it was there
ERRORS   none
WRITES   conf n
]]
-- @include keys

if call('HEXISTS', K_CONF, 'schema') == 1 then return 1 - call('HEXISTS', K_N, 'tested') end
call('HSET', K_CONF, unpack(ARGV))
call('HSET', K_N, 'id', 0)
return 1
