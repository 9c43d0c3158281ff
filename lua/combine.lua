--[[
combine - the number of a combination of sheets, a new one if need be.

KEYS  1  combos  hash  sheet names, blank-separated -> number
ARGV  1  names   str
RETURNS  number, 1 if it is new
ERRORS   none
WRITES   combos
]]
local found = redis.call('HGET', KEYS[1], ARGV[1])
if found then return { tonumber(found), 0 } end
local number = redis.call('HLEN', KEYS[1]) + 1
redis.call('HSET', KEYS[1], ARGV[1], number)
return { number, 1 }
