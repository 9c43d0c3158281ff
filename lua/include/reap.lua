-- @include lease
-- @include admit
-- @include give_up
-- The housekeeping of a claim (design 8, steps 1-3): expired leases, due queues, dated URIs; bounded by one pool of moves.
-- @exports reap wake_due promote expired pool_empty
local pool = 100

local function due_members(key)
  if pool <= 0 then return {} end
  flush(key)
  local found = call('ZRANGE', key, '-inf', text(now), 'BYSCORE', 'LIMIT', 0, pool)
  pool = pool - #found
  return found
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
    local l = lease_of(id)
    local q = l and queue(l.queue)
    if q then
      expired[#expired + 1] = id .. ' ' .. l.worker .. ' ' .. l.queue
      lost(l, q)
    elseif not l then
      zput(K_LEASE, id, false)
    end
  end
end

local function wake_due()
  for _, name in ipairs(due_members(K_DUE)) do
    local q = queue(name)
    if q and q.state == 'due' then reenqueue(q) else zput(K_DUE, name, false) end
  end
end

local function promote() -- a refetch begins anew, a retry keeps its attempts; uniqueness is not asked
  for _, id in ipairs(due_members(K_LATER)) do
    local name, class, kind = string.match(hget(K_LAT, id) or '', '^(%S+) (%d+) (%S+)$')
    local q = name and queue(name)
    if q or not name then
      zput(K_LATER, id, false)
      hput(K_LAT, id, false)
    end
    if q then
      count(q, 'later', -1)
      put(q, 'requeued', q.requeued + 1)
      arrive(q, id, tonumber(class))
      if kind == 'refetch' then waits_again(id) end
      journal('F+', id, (n.followers or 0) > 0 and hget(bucket('rec:', id), id))
    end
  end
end
