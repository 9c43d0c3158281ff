-- @include partition
-- Blocked Bloom filter in string pages: one 64-byte block a URI and slice, read once, written only for a new URI (design 4).
-- @exports integers positions slice_shape block_of all_set BLOCK PAGE_BLOCKS
local BLOCK = 64 -- bytes
local PAGE_BLOCKS = 65536
local TWO48 = 2 ^ 48

local function integers(fp) -- bytes 0-5, 6-11, 12-17 as big-endian integers of 48 bits
  local b = { string.byte(fp, 1, 18) }
  local function at(i)
    return ((((b[i] * 256 + b[i + 1]) * 256 + b[i + 2]) * 256 + b[i + 3]) * 256 + b[i + 4]) * 256 + b[i + 5]
  end
  return at(1), at(7), at(13)
end

-- k positions inside a block: 9 bits each, five from each of h2, h2 + h3, h2 + 2 h3 … (mod 2^48)
local function positions(h2, h3, k)
  local found, x, left = {}, h2, 0
  for i = 1, k do
    if left == 0 then
      if i > 1 then h2 = (h2 + h3) % TWO48 end
      x, left = h2, 5
    end
    local rest = floor(x / 512)
    found[i], x, left = x - rest * 512, rest, left - 1
  end
  return found
end

local shapes = {} -- of this call

local function slice_shape(slice) -- blocks, bits set by a URI, URIs it is meant for; nil if there is no such slice
  local shape = shapes[slice]
  if not shape then
    local blocks, k, capacity = string.match(call('HGET', K_CONF, 'bloom_' .. slice) or '', '(%d+) (%d+) (%d+)')
    shape = { tonumber(blocks), tonumber(k), tonumber(capacity) }
    shapes[slice] = shape
  end
  return shape[1], shape[2], shape[3]
end

local function block_of(slice, h1)
  local block = h1 % (slice_shape(slice))
  return T .. 'seen:' .. slice .. ':' .. floor(block / PAGE_BLOCKS), (block % PAGE_BLOCKS) * BLOCK
end

local function all_set(bytes, found) -- is every bit set?
  if #bytes < BLOCK then return false end
  for i = 1, #found do
    local p = found[i]
    if floor(string.byte(bytes, floor(p / 8) + 1) / 2 ^ (p % 8)) % 2 == 0 then return false end
  end
  return true
end
