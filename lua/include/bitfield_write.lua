-- @include bitfield
-- The bitfield filter at work: a block is read once, and written only for a new URI; the next slice is made page by page before it is needed.
-- @late
-- @exports prepare_page prepare_next bitfield_add bitfield_seen bitfield_clear
local function page_bytes(slice, page)
  return min(PAGE_BLOCKS, slice_shape(slice).blocks - page * PAGE_BLOCKS) * BLOCK
end

local function prepare_page(slice, page) -- a whole page at once: growing it step by step would copy it again; true if more follow
  call('SETRANGE', page_key(slice, page), page_bytes(slice, page) - 1, '\0')
  return (page + 1) * PAGE_BLOCKS < slice_shape(slice).blocks
end

local function prepare_next() -- once a call: a page of the next slice, when the present one is half full
  local slice = n.slice or 0
  local capacity, blocks = slice_shape(slice).capacity, slice_shape(slice + 1).blocks
  if not blocks or (n.slice_count or 0) * 2 < capacity then return end
  local page = n.next_pages or 0
  if page * PAGE_BLOCKS < blocks then
    if not read('STRLEN', page_key(slice + 1, page)) then return end
    prepare_page(slice + 1, page)
    bump('next_pages', 1)
  elseif n.slice_count >= capacity then
    bump('slice', 1)
    bump('slice_count', -n.slice_count)
    bump('next_pages', -n.next_pages)
  end
end

local last = {} -- of the last look: what is looked for is often added next

local function look(fp, slice, h1, h2, h3) -- are all bits set?  nil and why if the page cannot be read
  local shape = slice_shape(slice)
  local block = h1 % shape.blocks
  local in_page = block % PAGE_BLOCKS
  local key, at = page_key(slice, (block - in_page) / PAGE_BLOCKS), digits(in_page * BLOCK)
  local bytes, why = read('GETRANGE', key, at, digits(in_page * BLOCK + BLOCK - 1))
  if not bytes then return nil, why end
  local b = { string.byte(bytes, 1, BLOCK) }
  for i = #bytes + 1, BLOCK do b[i] = 0 end
  last.fp, last.slice, last.key, last.at, last.block, last.h2, last.h3, last.k = fp, slice, key, at, b, h2, h3, shape.k
  return bits(b, h2, h3, shape.k)
end

local function bitfield_seen(fp) -- in any slice; the present one is looked at last
  local h1, h2, h3 = integers(fp)
  for slice = 0, n.slice or 0 do
    local maybe, why = look(fp, slice, h1, h2, h3)
    if maybe or maybe == nil then return maybe, why end
  end
  return false
end

local function bitfield_add(fp)
  if last.fp ~= fp or last.slice ~= (n.slice or 0) then look(fp, n.slice or 0, integers(fp)) end
  bits(last.block, last.h2, last.h3, last.k, true)
  call('SETRANGE', last.key, last.at, string.char(unpack(last.block)))
  last.fp = nil
  bump('slice_count', 1)
end

local function bitfield_clear(fp) -- as if it were not there; for a filter that holds nothing else
  look(fp, 0, integers(fp))
  call('SETRANGE', last.key, last.at, string.rep('\0', BLOCK))
end
