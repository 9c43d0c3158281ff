-- @include partition
-- Exact uniqueness: an index fingerprint -> id in small listpack buckets that split one at a time (linear hashing, design 4).
-- @exports index_get index_set index_forget
local PER_INDEX_BUCKET = 64

local function hash_of(fp) -- 32 bits of the fingerprint
  local a, b, c, d = string.byte(fp, 1, 4)
  return a * 16777216 + b * 65536 + c * 256 + d
end

local function index_key(fp)
  local x, size = hash_of(fp), 2 ^ (n.ix_level or 0)
  local at = x % size
  if at < (n.ix_split or 0) then at = x % (2 * size) end
  return T .. 'ix:' .. at
end

local function split() -- the bucket whose turn it is shares its entries with a new one
  local size, at = 2 ^ (n.ix_level or 0), n.ix_split or 0
  local from, moved, names = T .. 'ix:' .. at, {}, {}
  local flat = call('HGETALL', from)
  for i = 1, #flat, 2 do
    if hash_of(flat[i]) % (2 * size) ~= at then
      names[#names + 1] = flat[i]
      moved[#moved + 1], moved[#moved + 2] = flat[i], flat[i + 1]
    end
  end
  if #names > 0 then
    call('HSET', T .. 'ix:' .. (at + size), unpack(moved))
    call('HDEL', from, unpack(names))
  end
  bump('ix_split', 1)
  if n.ix_split == size then
    n.ix_split = 0
    bump('ix_level', 1)
  end
end

local function index_get(fp)
  return read('HGET', index_key(fp), string.sub(fp, 1, 8))
end

local function index_set(fp, value) -- value: an id, or ! and how a URI ended
  if call('HSET', index_key(fp), string.sub(fp, 1, 8), value) == 1 then
    bump('ix_count', 1)
    if n.ix_count > PER_INDEX_BUCKET * (2 ^ (n.ix_level or 0) + (n.ix_split or 0)) then split() end
  end
end

local function index_forget(fp)
  if call('HDEL', index_key(fp), string.sub(fp, 1, 8)) == 1 then bump('ix_count', -1) end
end
