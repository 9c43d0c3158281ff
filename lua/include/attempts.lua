-- @include partition
-- Attempts and lost leases of a URI that was tried, while it lives.
-- @general
-- @exports keep_attempts drop_attempts
local function keep_attempts(l, attempts, lost, status)
  if not l.tried then bump('tried', 1) end
  hput(bucket('try:', l.id), l.id, attempts .. ' ' .. lost .. ' ' .. status)
end

local function drop_attempts(l) -- it has ended, or begins anew
  if not l.tried then return end
  hput(bucket('try:', l.id), l.id, false)
  bump('tried', -1)
end
