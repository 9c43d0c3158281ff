--[[
crawl_put - change one crawl-wide document (metadata, scope, sheets, seeds, settings) and count the crawl's version up.

KEYS  1  conf  hash  crawl-wide settings and version
      2  doc   any   the document
ARGV  1  command  str  HSET, HDEL, ZADD, SADD, SREM or DEL
      2  bump     0/1  count the version up
      3  values   str  what the command takes after the key
RETURNS  the version
ERRORS   NOCRAWL  no such crawl
         BADARG   a command that is none of these
WRITES   conf doc
]]
local ALLOWED = { HSET = true, HDEL = true, ZADD = true, SADD = true, SREM = true, DEL = true }
if not ALLOWED[ARGV[1]] then return redis.error_reply('BADARG command ' .. ARGV[1]) end
if redis.call('EXISTS', KEYS[1]) == 0 then return redis.error_reply('NOCRAWL no such crawl') end
local values = {}
for i = 3, #ARGV do values[#values + 1] = ARGV[i] end
redis.call(ARGV[1], KEYS[2], unpack(values))
if ARGV[2] == '1' then return redis.call('HINCRBY', KEYS[1], 'version', 1) end
return tonumber(redis.call('HGET', KEYS[1], 'version'))
