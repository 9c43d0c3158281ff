--[[
combine - the number of a combination of sheets.  First it is reserved, then its values go to all partitions, then it is made known:
whoever dies between leaves a number that nobody uses.

KEYS  1  combos  hash  sheet names, blank-separated -> number; "#next": the last number given
ARGV  1  names   str
      2  number  int   to make known, or empty: to look up or reserve
RETURNS  number, 1 if it is known
ERRORS   none
WRITES   combos
]]
if ARGV[2] ~= '' then redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2]) end
local known = redis.call('HGET', KEYS[1], ARGV[1])
if known then return { tonumber(known), 1 } end
return { redis.call('HINCRBY', KEYS[1], '#next', 1), 0 }
