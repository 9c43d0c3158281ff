-- @include partition
-- The answer of a claim, as it grows.
-- @exports tell told claimed troubles
local HEAD = 6 -- values of a reply before its URIs
local claimed = { 0, 0, 0, 0, 0, 0 } -- the reply: after its head id, queue, attempts, lost leases, record of each URI in turn
local size = HEAD
local told = {} -- the ids of those URIs
local troubles = {} -- what could not be given out

local function tell(id, name, attempts, lost, record)
  claimed[size + 1], claimed[size + 2], claimed[size + 3], claimed[size + 4], claimed[size + 5] = id, name, attempts, lost, record
  size = size + 5
  told[#told + 1] = id
end
