-- @include partition
-- How many URIs each worker holds.
-- @exports hold held write_held
local held_by = {} -- worker -> change of its leases, written once a call

local function hold(worker, by)
  held_by[worker] = (held_by[worker] or 0) + by
end

local function held(worker)
  return tonumber(call('HGET', K_W, worker) or 0) + (held_by[worker] or 0)
end

local function write_held()
  for worker, by in pairs(held_by) do
    if by ~= 0 and call('HINCRBY', K_W, worker, by) <= 0 then call('HDEL', K_W, worker, worker .. ' last') end
  end
end
