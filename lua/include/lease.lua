-- @include reenqueue
-- @include record
-- Leases: who holds which URI until when.  own: "token worker since score queue attempts lost deleted", the last 0 or 1.
-- @exports lease_of write_lease take untake put_back drop_ghost write_held held last_claim note_claim
local held_by = {} -- worker -> change of its leases, written once a call

local function parsed(id, own)
  local token, worker, since, score, name, attempts, lost, deleted = string.match(own, '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (.)$')
  return { id = id, token = token, worker = worker, since = since, score = score, queue = name, attempts = tonumber(attempts),
    lost = tonumber(lost), tried = attempts ~= '0' or lost ~= '0', deleted = deleted == '1' }
end

local function lease_of(id) -- nil when it is not leased
  local own = hget(K_OWN, id)
  return own and parsed(id, own) or nil
end

local function write_lease(l)
  local attempts, lost = text(l.attempts), text(l.lost)
  hput(K_OWN, l.id, l.token .. ' ' .. l.worker .. ' ' .. l.since .. ' ' .. l.score .. ' ' .. l.queue .. ' ' .. attempts .. ' ' .. lost .. (l.deleted and ' 1' or ' 0'))
end

local function take(l, q, expiry) -- out of its queue
  call('ZREM', pending_key(q), l.id)
  zput(K_LEASE, l.id, expiry)
  write_lease(l)
  held_by[l.worker] = (held_by[l.worker] or 0) + 1
  count(q, 'pending', -1)
  out(q, 1)
end

local function untake(l) -- the lease ends; its queue hears of it by `returned`
  zput(K_LEASE, l.id, false)
  hput(K_OWN, l.id, false)
  held_by[l.worker] = (held_by[l.worker] or 0) - 1
end

local function put_back(l, q, score) -- to its old place, untried or for another try
  call('ZADD', pending_key(q), score or l.score, l.id)
  count(q, 'pending', 1)
end

local function drop_ghost(l, q) -- it was deleted while it was out: nothing of it is left
  count(q, 'ghosts', -1)
  hput(bucket('rec:', l.id), l.id, false)
  drop_attempts(l)
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
    if by ~= 0 and call('HINCRBY', K_W, worker, by) <= 0 then call('HDEL', K_W, worker) end
  end
end
