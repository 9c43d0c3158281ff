--[[
prepare - make the first pages of the bitfield filter, one a call, so that no schedule has to.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  page  int  number of the page
RETURNS  1 more pages follow, 0 that was the last one
ERRORS   NOCRAWL  no such crawl
WRITES   n seen
]]
-- @include bitfield_write
-- @include save

local bad = open()
if bad then return bad end
local page, blocks = tonumber(ARGV[1]), slice_shape(0)
prepare_page(0, page)
save()
return (page + 1) * PAGE_BLOCKS < blocks and 1 or 0
