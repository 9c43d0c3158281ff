-- @include partition
-- Numbers and lists of others, read with care: what makes no sense counts as not told (no NaN, no infinity, nothing below zero).
-- @exports sane listed
local function sane(value, most) -- a number from 0 to `most`, or nil
  local x = tonumber(value)
  if not x or x ~= x or x < 0 then return nil end
  return min(x, most)
end

local LISTS = {} -- of this call: blank-separated text -> set of numbers

local function listed(list, status)
  local set = LISTS[list]
  if not set then
    set = {}
    for number in string.gmatch(tostring(list), '%S+') do set[tonumber(number) or number] = true end
    LISTS[list] = set
  end
  return set[status] or false
end
