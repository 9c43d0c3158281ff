-- @include partition
-- How many URIs each worker holds, and the ids of its last claim.
-- @exports hold held last_claim note_claim write_held
local held_by = {} -- worker -> change of its leases, written once a call

local function hold(worker, by)
  held_by[worker] = (held_by[worker] or 0) + by
end

local function held(worker)
  return tonumber(call('HGET', K_W, worker) or 0) + (held_by[worker] or 0)
end

-- The ids of a worker's last claim: a claim repeated after a lost answer is answered again, not leased anew.
local function last_claim(worker, token)
  local last, ids = call('HGET', K_W, worker .. ' last') or '', {}
  if string.sub(last, 1, #token + 1) == token .. ' ' then
    for id in string.gmatch(last, ' (%d+)') do ids[#ids + 1] = id end
  end
  return ids
end

local function note_claim(worker, token, ids)
  call('HSET', K_W, worker .. ' last', token .. ' ' .. table.concat(ids, ' '))
end

local function write_held()
  for worker, by in pairs(held_by) do
    if by ~= 0 and call('HINCRBY', K_W, worker, by) <= 0 then call('HDEL', K_W, worker, worker .. ' last') end
  end
end
