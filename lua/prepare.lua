--[[
prepare - make the first pages of the bitfield filter, one a call, so that no schedule has to.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  page  int  number of the page
RETURNS  1 more pages follow, 0 that was the last one
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
WRITES   n seen
]]
-- @include bitfield_write
-- @include save

local bad = open()
if bad then return bad end
if n.tested == 1 then return 0 end -- in use: nothing is written into it
local more = prepare_page(0, tonumber(ARGV[1]))
save()
return more and 1 or 0
