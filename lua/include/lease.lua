-- @include reenqueue
-- @include record
-- @include attempts
-- @include lease_out
-- @general
-- Leases: who holds which URI until when.  own: "token worker since score queue attempts lost deleted", the last 0 or 1.
-- @exports lease_of write_lease take untake put_back drop_ghost
local function parsed(id, own) -- by hand: a pattern with eight captures takes ten times as long
  local find = string.find
  local a = find(own, ' ', 1, true)
  local b = find(own, ' ', a + 1, true)
  local c = find(own, ' ', b + 1, true)
  local d = find(own, ' ', c + 1, true)
  local l = { id = id, token = sub(own, 1, a - 1), worker = sub(own, a + 1, b - 1), since = sub(own, b + 1, c - 1), score = sub(own, c + 1, d - 1),
    queue = nil, attempts = 0, lost = 0, tried = false, deleted = false }
  if sub(own, -6) == FIRST_TIME then
    l.queue = sub(own, d + 1, -7)
  else
    local queue, attempts, lost, deleted = string.match(sub(own, d + 1), '^(%S+) (%d+) (%d+) (%d)$')
    l.queue, l.attempts, l.lost, l.deleted = queue, tonumber(attempts), tonumber(lost), deleted == '1'
    l.tried = l.attempts > 0 or l.lost > 0
  end
  return l
end

local function lease_of(id) -- nil when it is not leased
  local own = hget(K_OWN, id)
  return own and parsed(id, own) or nil
end

local function write_lease(l)
  local attempts, lost = text(l.attempts), text(l.lost)
  hput(K_OWN, l.id, l.token .. ' ' .. l.worker .. ' ' .. l.since .. ' ' .. l.score .. ' ' .. l.queue .. ' ' .. attempts .. ' ' .. lost .. (l.deleted and ' 1' or ' 0'))
end

local function take(q, id, score, attempts, lost, c) -- out of its queue
  call('ZREM', pending_key(q), id)
  lease_out(q.name, id, score, attempts, lost, c, false)
  hold(c.worker, 1)
  count(q, 'pending', -1)
  out(q, 1)
end

local function untake(l) -- the lease ends; its queue hears of it by `returned`
  zput(K_LEASE, l.id, false)
  hput(K_OWN, l.id, false)
  hold(l.worker, -1)
end

local function put_back(l, q, score) -- to its old place, untried or for another try
  call('ZADD', pending_key(q), negative(score or l.score), l.id)
  count(q, 'pending', 1)
end

local function drop_ghost(l, q) -- it was deleted while it was out: nothing of it is left
  count(q, 'ghosts', -1)
  hput(bucket('rec:', l.id), l.id, false)
  drop_attempts(l)
end
