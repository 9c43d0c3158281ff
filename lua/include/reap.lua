-- @include pool
-- @include lease
-- @include give_up
-- Expired leases: back at their old places while their hosts rest a little.
-- @exports reap expired
local function losable(l, q) -- may all keys be read that the loss of a lease writes?
  local fine, why = readable(q, bucket('rec:', l.id))
  if fine then fine, why = known_type('HLEN', bucket('try:', l.id)) end
  if fine and S.retention == 'keep' then fine, why = known_type('HLEN', bucket('res:', l.id)) end
  if fine and l.lost >= S.max_lost_leases then fine, why = endable(hget(bucket('rec:', l.id), l.id)) end
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
