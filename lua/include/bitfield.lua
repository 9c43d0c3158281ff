-- @include partition
-- Blocked Bloom filter in string pages: a URI has one block of 64 bytes in a slice, blocks overlap by half (design 4).
-- Sums of numbers only: not every server has `bit`.
-- @inside bitfield_write
local BLOCK, STEP = 64, 32 -- bytes: of a block, and on to the next one: each half belongs to two blocks, which evens out how full they are
local PAGE_BLOCKS = 131071 -- 4 MB
local POWER = { [0] = 1, 2, 4, 8, 16, 32, 64, 128 }
local byte, char, format = string.byte, string.char, string.format
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

-- Where its bits are in either half by turns: bytes 6, 7 … of the fingerprint, and after the last one the first.
local function marks_of(fp, k)
  return { byte(k > 12 and fp .. fp or fp, 7, 6 + k) }
end

-- Are all bits of a URI set in its block?  The first nine (there are no fewer) are written out: no lines run more often, and a loop
-- over a list of them takes a fifth longer.
local function holds(bytes, fp, k)
  local a, b, c, d, e, f, g, h, i = byte(fp, 7, 15)
  local bit = a % 8
  if byte(bytes, (a - bit) / 8 + 1) / POWER[bit] % 2 < 1 then return false end
  bit = b % 8
  if byte(bytes, (b - bit) / 8 + 33) / POWER[bit] % 2 < 1 then return false end
  bit = c % 8
  if byte(bytes, (c - bit) / 8 + 1) / POWER[bit] % 2 < 1 then return false end
  bit = d % 8
  if byte(bytes, (d - bit) / 8 + 33) / POWER[bit] % 2 < 1 then return false end
  bit = e % 8
  if byte(bytes, (e - bit) / 8 + 1) / POWER[bit] % 2 < 1 then return false end
  bit = f % 8
  if byte(bytes, (f - bit) / 8 + 33) / POWER[bit] % 2 < 1 then return false end
  bit = g % 8
  if byte(bytes, (g - bit) / 8 + 1) / POWER[bit] % 2 < 1 then return false end
  bit = h % 8
  if byte(bytes, (h - bit) / 8 + 33) / POWER[bit] % 2 < 1 then return false end
  bit = i % 8
  if byte(bytes, (i - bit) / 8 + 1) / POWER[bit] % 2 < 1 then return false end
  if k == 9 then return true end
  local marks = marks_of(fp, k)
  for number = 10, k do
    bit = marks[number] % 8
    if byte(bytes, (marks[number] - bit) / 8 + (number % 2 == 1 and 1 or 33)) / POWER[bit] % 2 < 1 then return false end
  end
  return true
end

local function set_more(o, fp, k) -- those after the ninth
  local marks = marks_of(fp, k)
  for number = 10, k do
    local bit = marks[number] % 8
    local at, power = (marks[number] - bit) / 8 + (number % 2 == 1 and 1 or 33), POWER[bit]
    if o[at] / power % 2 < 1 then o[at] = o[at] + power end
  end
end

local function with_bits(bytes, fp, k) -- the block with all bits of a URI; written out likewise
  local a, b, c, d, e, f, g, h, i = byte(fp, 7, 15)
  local o = { byte(bytes, 1, BLOCK) }
  local bit = a % 8
  local at, power = (a - bit) / 8 + 1, POWER[bit]
  if o[at] / power % 2 < 1 then o[at] = o[at] + power end
  bit = b % 8
  at, power = (b - bit) / 8 + 33, POWER[bit]
  if o[at] / power % 2 < 1 then o[at] = o[at] + power end
  bit = c % 8
  at, power = (c - bit) / 8 + 1, POWER[bit]
  if o[at] / power % 2 < 1 then o[at] = o[at] + power end
  bit = d % 8
  at, power = (d - bit) / 8 + 33, POWER[bit]
  if o[at] / power % 2 < 1 then o[at] = o[at] + power end
  bit = e % 8
  at, power = (e - bit) / 8 + 1, POWER[bit]
  if o[at] / power % 2 < 1 then o[at] = o[at] + power end
  bit = f % 8
  at, power = (f - bit) / 8 + 33, POWER[bit]
  if o[at] / power % 2 < 1 then o[at] = o[at] + power end
  bit = g % 8
  at, power = (g - bit) / 8 + 1, POWER[bit]
  if o[at] / power % 2 < 1 then o[at] = o[at] + power end
  bit = h % 8
  at, power = (h - bit) / 8 + 33, POWER[bit]
  if o[at] / power % 2 < 1 then o[at] = o[at] + power end
  bit = i % 8
  at, power = (i - bit) / 8 + 1, POWER[bit]
  if o[at] / power % 2 < 1 then o[at] = o[at] + power end
  if k > 9 then set_more(o, fp, k) end
  return char(unpack(o))
end
