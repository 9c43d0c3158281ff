-- @include pool
-- @include lease
-- @include admit
-- @include give_up
-- An expired lease: back at its old place while its host rests a little.
-- @general
-- @exports take_back
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

local function take_back(id) -- "id worker queue" if it is back
  local l, q, fine, why = lease_of(id), nil, nil, nil
  if l then q, why = queue(l.queue) end
  if q then fine, why = losable(l, q) end
  if fine then
    lost(l, q)
    return id .. ' ' .. l.worker .. ' ' .. l.queue
  end
  zput(K_LEASE, id, l and put_off(why) or false)
end
