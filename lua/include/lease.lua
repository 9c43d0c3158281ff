-- @include reenqueue
-- @include record
-- Leases: who holds which URI until when.  own: "token worker since score queue attempts lost deleted", the last 0 or 1.
-- @exports lease_of write_lease take untake put_back drop_ghost write_held held last_claim note_claim
local held_by = {} -- worker -> change of its leases, written once a call

local function parsed(id, own) -- by hand: a pattern with eight captures takes ten times as long
  local find, sub = string.find, string.sub
  local a = find(own, ' ', 1, true)
  local b = find(own, ' ', a + 1, true)
  local c = find(own, ' ', b + 1, true)
  local d = find(own, ' ', c + 1, true)
  local e = find(own, ' ', d + 1, true)
  local f = find(own, ' ', e + 1, true)
  local rest = sub(own, e + 1)
  local tried = rest ~= '0 0 0'
  return { id = id, token = sub(own, 1, a - 1), worker = sub(own, a + 1, b - 1), since = sub(own, b + 1, c - 1), score = sub(own, c + 1, d - 1),
    queue = sub(own, d + 1, e - 1), attempts = tried and tonumber(sub(own, e + 1, f - 1)) or 0,
    lost = tried and tonumber(sub(own, f + 1, -3)) or 0, tried = tried and sub(rest, 1, 4) ~= '0 0 ', deleted = sub(own, -1) == '1' }
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
