-- @include told
-- @include lease_out
-- The leases of a claim are written; the first of a large one into a skip list and a hash table at once.  While nothing is out, both would begin
-- in their compact forms, in which each entry is searched for from the beginning: with a hundred at once that is a tenth of all a claim costs.
-- @exports write_leases
local MANY = 16 -- leases, for which it is worth the detour

local function write_leases()
  local first = #told >= MANY and call('ZCARD', K_LEASE) == 0
  local long = first and string.rep('-', 65) -- more than compact forms take, as Redis comes and with deploy/redis.conf
  if first then
    call('ZADD', K_LEASE, 0, long)
    call('HSET', K_OWN, '-', string.rep('-', 1025))
  end
  write_listed()
  flush(K_LEASE)
  flush(K_OWN)
  if first then
    call('ZREM', K_LEASE, long)
    call('HDEL', K_OWN, '-')
  end
end
