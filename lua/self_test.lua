--[[
self_test - does a fresh Bloom filter remember what it is given, and only that?  Makes RedisBloom's filter, and leaves either empty.
Done once: later calls touch nothing, for the filter may be in use.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  rate      num   of false positives, for RedisBloom
      2  capacity  int   URIs of its first filter
      3  fp        18 B  added, then looked for
      4  fp        18 B  and more: only looked for
RETURNS  1 if the added one is found, how many of the others are found
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
WRITES   n seen bf
]]
-- @include uniqueness

local bad = open()
if bad then return bad end
if n.tested == 1 then return { 1, 0 } end
local bloom = S.uniqueness == 'bloom'
if bloom then
  call('DEL', K_BF)
  call('BF.RESERVE', K_BF, ARGV[1], ARGV[2])
  call('BF.ADD', K_BF, ARGV[3])
else
  bitfield_add(ARGV[3])
end
local found, others = seen(ARGV[3]) and 1 or 0, 0
for i = 4, #ARGV do
  if seen(ARGV[i]) then others = others + 1 end
end
if bloom then
  call('DEL', K_BF)
  call('BF.RESERVE', K_BF, ARGV[1], ARGV[2])
else
  bitfield_clear(ARGV[3])
end
call('HSET', K_N, 'tested', 1)
return { found, others }
