-- @include held
-- The beginning of a lease: its expiry, and what is known of it.
-- @exports FIRST_TIME lease_out
local FIRST_TIME = ' 0 0 0' -- how own ends as long as nothing has gone wrong

local function lease_out(name, id, score, attempts, lost, c)
  zput(K_LEASE, id, c.expiry)
  local tail = attempts == 0 and lost == 0 and FIRST_TIME or ' ' .. text(attempts) .. ' ' .. text(lost) .. ' 0'
  hput(K_OWN, id, c.own .. score .. ' ' .. name .. tail)
end
