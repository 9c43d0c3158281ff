--[[
self_test - does a fresh Bloom filter remember what it is given, and only that?  Leaves it empty (a RedisBloom one is gone).

KEYS     the fixed keys (include/keys.lua)
ARGV  1  fp  18 B  added, then looked for
      2  fp  18 B  and more: only looked for
RETURNS  1 if the added one is found, how many of the others are found
ERRORS   NOCRAWL  no such crawl
WRITES   seen bf
]]
-- @include uniqueness

local bad = open()
if bad then return bad end
if S.uniqueness == 'bitfield' then bitfield_add(ARGV[1]) else call('BF.ADD', K_BF, ARGV[1]) end
local found, others = seen(ARGV[1]) and 1 or 0, 0
for i = 2, #ARGV do
  if seen(ARGV[i]) then others = others + 1 end
end
if S.uniqueness == 'bitfield' then
  local key, at = block_of(0, (integers(ARGV[1])))
  call('SETRANGE', key, at, string.rep('\0', BLOCK))
else
  call('DEL', K_BF)
end
return { found, others }
