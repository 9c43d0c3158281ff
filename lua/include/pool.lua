-- @include partition
-- What is due, for the housekeeping of a claim (design 8, steps 1-3): leases, queues, dates share one pool of moves.
-- @exports due_members put_off foreign pool_empty
local pool = 100

local function due_members(key)
  if pool <= 0 then return {} end
  flush(key)
  local found = call('ZRANGE', key, '-inf', text(now), 'BYSCORE', 'LIMIT', 0, pool)
  pool = pool - #found
  return found
end

local FOREIGN_MS = 60000 -- until a foreign key is looked at again: it may have been mended by then
local foreign = {} -- what was met at foreign keys

local function put_off(why) -- until when
  foreign[#foreign + 1] = why
  return text(now + FOREIGN_MS)
end

local function pool_empty() return pool <= 0 end
