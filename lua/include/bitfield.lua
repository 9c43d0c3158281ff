-- @include partition
-- Blocked Bloom filter in string pages: one 64-byte block a URI and slice (design 4).  Sums of numbers only: not every server has `bit`.
-- @inside bitfield_write
local BLOCK = 64 -- bytes
local PAGE_BLOCKS = 65536
local TWO48 = 2 ^ 48
local POWER = { 1, 2, 4, 8, 16, 32, 64, 128, 256 }
local shapes = {} -- of this call

local function slice_shape(slice) -- blocks, bits set by a URI, URIs it is meant for, keys of its pages; no blocks if there is no such slice
  local shape = shapes[slice]
  if not shape then
    local blocks, k, capacity = string.match(call('HGET', K_CONF, 'bloom_' .. slice) or '', '(%d+) (%d+) (%d+)')
    shape = { blocks = tonumber(blocks), k = tonumber(k), capacity = tonumber(capacity), pages = {} }
    shapes[slice] = shape
  end
  return shape
end

local function page_key(slice, page)
  local pages = slice_shape(slice).pages
  pages[page] = pages[page] or T .. 'seen:' .. slice .. ':' .. digits(page)
  return pages[page]
end

local function integers(fp) -- bytes 0-5, 6-11, 12-17 as big-endian integers of 48 bits
  local a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s = string.byte(fp, 1, 18)
  return ((((a * 256 + b) * 256 + c) * 256 + d) * 256 + e) * 256 + f, ((((g * 256 + h) * 256 + i) * 256 + j) * 256 + k) * 256 + l,
    ((((m * 256 + o) * 256 + p) * 256 + q) * 256 + r) * 256 + s
end

-- The k bits of a URI in its block (a list of bytes): 9 bits of position each, five from each of h2, h2 + h3, h2 + 2 h3 … (mod 2^48).
-- True if all are set; else those missing are set when `add`, or the first one ends it.
local function bits(b, h2, h3, k, add)
  local all = true
  for left = k, 1, -5 do
    local x = h2
    for _ = 1, left < 5 and left or 5 do
      local p = x % 512
      local bit = p % 8
      local at, power = (p - bit) / 8 + 1, POWER[bit + 1]
      if b[at] % POWER[bit + 2] < power then
        if not add then return false end
        all, b[at] = false, b[at] + power
      end
      x = (x - p) / 512
    end
    h2 = (h2 + h3) % TWO48
  end
  return all
end
