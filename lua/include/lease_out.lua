-- @include held
-- @include first_try
-- The beginning of a lease: its expiry, and what is known of it.
-- @exports lease_out write_listed
local leases, owners, listed_values = {}, {}, 0 -- expiry and id, id and own, of those that nothing asks for in this call

local function lease_out(name, id, score, attempts, lost, c, unasked)
  local tail = attempts == 0 and lost == 0 and FIRST_TIME or ' ' .. text(attempts) .. ' ' .. text(lost) .. ' 0'
  local own, at = c.own .. score .. ' ' .. name .. tail, listed_values
  if unasked then
    leases[at + 1], leases[at + 2], owners[at + 1], owners[at + 2], listed_values = c.expiry, id, id, own, at + 2
  else
    zput(K_LEASE, id, c.expiry)
    hput(K_OWN, id, own)
  end
end

local function write_listed()
  send('ZADD', K_LEASE, leases, listed_values)
  send('HSET', K_OWN, owners, listed_values)
end
