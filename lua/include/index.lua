-- @include partition
-- Exact uniqueness: an index fingerprint -> id in small listpack buckets that split one at a time (linear hashing, design 4).
-- @exports index_get index_add index_set index_forget
local PER_INDEX_BUCKET = 32
local room -- how many entries it takes until a bucket is split; nil: not worked out yet

local function hash_of(fp) -- 32 bits of the fingerprint
  local a, b, c, d = byte(fp, 1, 4)
  return a * 16777216 + b * 65536 + c * 256 + d
end

local found_fp, found_key, found_field -- of the last look: what is looked for is often written next

local function find(fp) -- sets the key and the field of a fingerprint
  if fp == found_fp then return end
  local x, size = hash_of(fp), 2 ^ (n.ix_level or 0)
  local at = x % size
  if at < (n.ix_split or 0) then at = x % (2 * size) end
  found_fp, found_key, found_field = fp, T .. 'ix:' .. digits(at), sub(fp, 1, 8)
end

local function split() -- the bucket whose turn it is shares its entries with a new one
  local size, at = 2 ^ (n.ix_level or 0), n.ix_split or 0
  local from, moved, names = T .. 'ix:' .. digits(at), {}, {}
  local flat = read('HGETALL', from)
  if not flat or not read('HLEN', T .. 'ix:' .. digits(at + size)) then return end -- (a foreign key: at another time)
  found_fp = nil
  for i = 1, #flat, 2 do
    if hash_of(flat[i]) % (2 * size) ~= at then
      names[#names + 1] = flat[i]
      moved[#moved + 1], moved[#moved + 2] = flat[i], flat[i + 1]
    end
  end
  if #names > 0 then
    call('HSET', T .. 'ix:' .. digits(at + size), unpack(moved))
    call('HDEL', from, unpack(names))
  end
  room = nil
  bump('ix_split', 1)
  if n.ix_split == size then
    n.ix_split = 0
    bump('ix_level', 1)
  end
end

local function index_get(fp)
  find(fp)
  return read('HGET', found_key, found_field)
end

local function grown() -- by one entry
  room = room or PER_INDEX_BUCKET * (2 ^ (n.ix_level or 0) + (n.ix_split or 0)) - (n.ix_count or 0)
  bump('ix_count', 1)
  room = room - 1
  if room < 0 then split() end
end

local function index_add(fp, id) -- look and write in one: false if it is known (or its key cannot be written)
  find(fp)
  local added = try('HSETNX', found_key, found_field, id) == 1
  if added then grown() end
  return added
end

local function index_set(fp, value, gently) -- value: an id, or ! and how a URI ended; gently: nil and why instead of an error
  find(fp)
  local added, why = (gently and read or call)('HSET', found_key, found_field, value)
  if added == 1 then grown() end
  return added, why
end

local function index_forget(fp)
  find(fp)
  if call('HDEL', found_key, found_field) == 1 then
    bump('ix_count', -1)
    room = nil
  end
end
