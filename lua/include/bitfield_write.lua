-- @include bitfield
-- The writing half of the bitfield filter: sets a URI's bits, and prepares the next slice page by page before it is needed.
-- @exports prepare_page prepare_next bitfield_add bitfield_seen
local function with_bits(bytes, found) -- the block with these bits set
  local b = { string.byte(bytes, 1, BLOCK) }
  for i = #b + 1, BLOCK do b[i] = 0 end
  for i = 1, #found do
    local at, bit = floor(found[i] / 8) + 1, 2 ^ (found[i] % 8)
    if floor(b[at] / bit) % 2 == 0 then b[at] = b[at] + bit end
  end
  return string.char(unpack(b))
end

local function page_bytes(slice, page)
  return min(PAGE_BLOCKS, (slice_shape(slice)) - page * PAGE_BLOCKS) * BLOCK
end

local function prepare_page(slice, page) -- a whole page at once: growing it step by step would copy it again and again
  call('SETRANGE', T .. 'seen:' .. slice .. ':' .. page, page_bytes(slice, page) - 1, '\0')
end

local function prepare_next() -- once a call: a page of the next slice, when the present one is half full
  local slice = n.slice or 0
  local _, _, capacity = slice_shape(slice)
  local blocks = slice_shape(slice + 1)
  if not blocks or (n.slice_count or 0) * 2 < capacity then return end
  local page = n.next_pages or 0
  if page * PAGE_BLOCKS < blocks then
    prepare_page(slice + 1, page)
    bump('next_pages', 1)
  elseif n.slice_count >= capacity then
    bump('slice', 1)
    bump('slice_count', -n.slice_count)
    bump('next_pages', -n.next_pages)
  end
end

local function bitfield_add(fp)
  local h1, h2, h3 = integers(fp)
  local slice = n.slice or 0
  local _, k = slice_shape(slice)
  local key, at = block_of(slice, h1)
  call('SETRANGE', key, at, with_bits(call('GETRANGE', key, at, at + BLOCK - 1), positions(h2, h3, k)))
  bump('slice_count', 1)
end

local function bitfield_seen(fp) -- in any slice
  local h1, h2, h3 = integers(fp)
  for slice = n.slice or 0, 0, -1 do
    local _, k = slice_shape(slice)
    local key, at = block_of(slice, h1)
    local bytes, why = read('GETRANGE', key, at, at + BLOCK - 1)
    if not bytes then return nil, why end
    if all_set(bytes, positions(h2, h3, k)) then return true end
  end
  return false
end
