--[[
crawl_make - register a crawl by its name; nothing happens when there is one of that name.

KEYS  1  conf    hash  crawl-wide settings
ARGV  1  name    str  of a field, first of two arguments for each
      2  value   str
RETURNS  1 made, 0 it was there
ERRORS   none
WRITES   conf
]]
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV))
return 1
