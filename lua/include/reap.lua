-- @include usual_turn
-- @include admit
-- @include give_up
-- The housekeeping of a claim (design 8, steps 1-3): expired leases, due queues, dated URIs; bounded by one pool of moves.
-- @exports reap wake_due promote expired foreign pool_empty
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

local function losable(l, q) -- may all keys be read that the loss of a lease writes?
  local fine, why = readable(q, bucket('rec:', l.id))
  if fine then fine, why = known_type('HLEN', bucket('try:', l.id)) end
  if fine and S.retention == 'keep' then fine, why = known_type('HLEN', bucket('res:', l.id)) end
  local record = fine and l.lost >= S.max_lost_leases and S.uniqueness == 'exact' and hget(bucket('rec:', l.id), l.id)
  if record and sound(record) then
    local value
    value, why = index_get(fingerprint_of(record))
    fine = value ~= nil
  end
  return fine, why
end

local function lost(l, q) -- back at its old place while the host rests a little; too many of them are a failure
  polite_until(q, now + settings_of(q).min_delay_ms)
  l.lost = l.lost + 1
  count(q, 'lost', 1)
  untake(l)
  if l.deleted then
    drop_ghost(l, q)
  elseif l.lost > S.max_lost_leases then
    give_up(l, q)
  else
    keep_attempts(l, l.attempts, l.lost, '-')
    put_back(l, q)
  end
  returned(q)
end

local function pool_empty() return pool <= 0 end

local expired = {} -- "id worker queue" of the leases that this call took back

local function reap()
  for _, id in ipairs(due_members(K_LEASE)) do
    local l, q, fine, why = lease_of(id), nil, nil, nil
    if l then q, why = queue(l.queue) end
    if q then fine, why = losable(l, q) end
    if fine then
      expired[#expired + 1] = id .. ' ' .. l.worker .. ' ' .. l.queue
      lost(l, q)
    elseif l then
      zput(K_LEASE, id, put_off(why))
    else
      zput(K_LEASE, id, false)
    end
  end
end

local function wake_due(c)
  for _, name in ipairs(due_members(K_DUE)) do
    local usual, q, why = usual_wake(name, c), nil, nil
    if not usual then q, why = queue(name) end
    if usual then -- it waits for its turn
    elseif not q then
      zput(K_DUE, name, put_off(why))
    elseif q.state == 'due' then
      reenqueue(q)
    else
      zput(K_DUE, name, false)
    end
  end
end

local function return_now(q, id, class, kind) -- a dated URI comes back to its queue
  zput(K_LATER, id, false)
  hput(K_LAT, id, false)
  count(q, 'later', -1)
  put(q, 'requeued', q.requeued + 1)
  arrive(q, id, tonumber(class))
  if kind == 'refetch' then waits_again(id) end
  journal('F+', id, (n.followers or 0) > 0 and hget(bucket('rec:', id), id))
end

local function promote() -- a refetch begins anew, a retry keeps its attempts; uniqueness is not asked
  local ids = due_members(K_LATER)
  if #ids > 0 and unsettled then unsettled() end -- any queue may be looked at
  for _, id in ipairs(ids) do
    local name, class, kind = string.match(hget(K_LAT, id) or '', '^(%S+) (%d+) (%S+)$')
    local q, fine, why
    if name then q, why = queue(name) end
    if q then fine, why = readable(q, bucket('res:', id)) end
    if fine then
      return_now(q, id, class, kind)
    elseif name then
      zput(K_LATER, id, put_off(why))
    else
      zput(K_LATER, id, false)
      hput(K_LAT, id, false)
    end
  end
end
