-- @include bitfield
-- The bitfield filter at work: a block is read once, and written only for a new URI; the next slice is made page by page before it is needed.
-- @late
-- @exports prepare_page prepare_next bitfield_add bitfield_seen bitfield_clear
local function page_bytes(slice, page)
  return min(PAGE_BLOCKS, slice_shape(slice).blocks - page * PAGE_BLOCKS) * STEP + BLOCK - STEP
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

-- Of the last look: what is looked for is often added next.
local last_fp, last_slice, last_key, last_at, last_bytes, last_k

local function look(fp, slice) -- are all bits set?  nil and why if the page cannot be read
  local shape = slice_shape(slice)
  local a, b, c, d, e, f = byte(fp, 1, 6)
  local block = (((((a * 256 + b) * 256 + c) * 256 + d) * 256 + e) * 256 + f) % shape.blocks
  local in_page = block % PAGE_BLOCKS
  local page, from = (block - in_page) / PAGE_BLOCKS, in_page * STEP
  local key, at, to = shape.pages[page] or page_key(slice, page), format('%d', from), format('%d', from + BLOCK - 1)
  local bytes, why = try('GETRANGE', key, at, to), nil
  if type(bytes) ~= 'string' then -- (an error: told by the general way)
    bytes, why = read('GETRANGE', key, at, to)
    if not bytes then return nil, why end
  end
  if #bytes < BLOCK then bytes = bytes .. string.rep('\0', BLOCK - #bytes) end
  last_fp, last_slice, last_key, last_at, last_bytes, last_k = fp, slice, key, at, bytes, shape.k
  return holds(bytes, fp, shape.k)
end

local function bitfield_seen(fp) -- in any slice; the present one is looked at last
  for slice = 0, n.slice or 0 do
    local maybe, why = look(fp, slice)
    if maybe or maybe == nil then return maybe, why end
  end
  return false
end

local function bitfield_add(fp)
  if last_fp ~= fp or last_slice ~= (n.slice or 0) then look(fp, n.slice or 0) end
  call('SETRANGE', last_key, last_at, with_bits(last_bytes, fp, last_k))
  last_fp = nil
  bump('slice_count', 1)
end

local function bitfield_clear(fp) -- as if it were not there; for a filter that holds nothing else
  look(fp, 0)
  call('SETRANGE', last_key, last_at, string.rep('\0', BLOCK))
end
