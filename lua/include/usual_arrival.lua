-- @include levels
-- @include uniqueness
-- A new URI of a queue in which others wait already, and about which nothing is unusual: only two counts of the queue change, so only they are
-- read and written.  What comes of it is what admit.lua makes of it; everything else is left to that.
-- @exports usual_arrival settle_arrivals settle_arrival
local arrivals, arrived = {}, 0 -- name -> queue of which so much is known, in this call; false: not usual

local settings_fine

local function look_at_queue(name)
  if settings_fine == nil then settings_fine = S.queue_precedence_policy ~= 'highest_uri' and (n.followers or 0) == 0 end
  local key = T .. 'm:' .. name
  local v = settings_fine and not queues[name] and try('HMGET', key, 'pending', 'admitted', 'more') -- (an error has no fields)
  local pending = v and not v[3] and (v[1] or 0) + 0 or 0
  local a = pending > 0 and { key = T .. 'q:' .. name, state = key, pending = pending, admitted = v[2] + 0, by = 0 }
  arrivals[name] = a
  return a
end

local function usual_arrival(name, class, fp, record, unasked) -- the answer, or nil if it is not usual; unasked: it may be known
  local a = arrivals[name]
  if a == nil then a = look_at_queue(name) end
  if not a then return nil end
  local number, ordinal = (n.id or 0) + 1, (n.ordinal or 0) + 1
  local id, records = digits(number), bucket('rec:', number)
  if not known_type('HLEN', records) or (unasked and not index_add(fp, id)) then return nil end
  if try('ZADD', a.key, digits(-class * P43 - ordinal), id) ~= 1 then -- (the check of its key)
    if unasked then index_forget(fp) end
    return nil
  end
  n.id, n.ordinal = number, ordinal
  if not unasked then remember(fp, id) end
  hput(records, id, record)
  a.by, arrived = a.by + 1, arrived + 1
  return '+' .. id
end

local function settle_arrival(name) -- before the queue is looked at as any other, and at the end
  local a = arrivals[name]
  arrivals[name] = false
  if not a or a.by == 0 then return end
  local pending = a.pending + a.by
  call('HSET', a.state, 'pending', text(pending), 'admitted', text(a.admitted + a.by))
  local to = new_level(a.pending, pending)
  if to then zput(K_QUEUES, name, to) end
end

local function settle_arrivals()
  for name in pairs(arrivals) do settle_arrival(name) end
  if arrived == 0 then return end
  bump('pending', arrived)
  bump('admitted', arrived)
  bump('id', 0)
  bump('ordinal', 0)
end
