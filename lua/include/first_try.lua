-- @include partition
-- What `own` says of the lease of a URI that was never tried before: "token worker since score queue 0 0 0".
-- @exports FIRST_TIME first_try
local FIRST_TIME = ' 0 0 0' -- how own ends as long as nothing has gone wrong
local find = string.find
local origin, origin_size, origin_token, holder = '', 0, nil, nil -- "token worker since " of the last lease: most come from one claim

local function read_origin(own, token) -- true if it is of this token
  local a = #token + 1
  if sub(own, 1, a) ~= token .. ' ' then return false end
  local b = find(own, ' ', a + 1, true)
  origin_size = find(own, ' ', b + 1, true)
  origin, origin_token, holder = sub(own, 1, origin_size), token, sub(own, a + 1, b - 1)
  return true
end

local function first_try(own, token) -- its queue and its worker; nil if the token is another, or it was tried before
  if sub(own, -6) ~= FIRST_TIME then return nil end
  local again = token == origin_token and sub(own, 1, origin_size) == origin
  if not again and not read_origin(own, token) then return nil end
  return sub(own, find(own, ' ', origin_size + 1, true) + 1, -7), holder
end
