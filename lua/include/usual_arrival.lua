-- @include admit
-- A new URI of a queue in which others wait already, and about which nothing is unusual: only two counts of the queue change, so only they are
-- read and written.  What comes of it is what admit.lua makes of it; everything else is left to that.
-- @exports usual_arrival settle_arrivals settle_arrival
local arrivals = {} -- name -> queue of which so much is known, in this call; false: not usual

local function look_at_queue(name)
  local usual = not queues[name] and S.queue_precedence_policy ~= 'highest_uri' and (n.followers or 0) == 0
  local v = usual and read('HMGET', T .. 'm:' .. name, 'pending', 'admitted', 'more')
  local pending = v and not v[3] and (v[1] or 0) + 0 or 0
  arrivals[name] = pending > 0 and { key = T .. 'q:' .. name, pending = pending, admitted = v[2] + 0, by = 0 }
  return arrivals[name]
end

local function usual_arrival(name, class, fp, record) -- the answer, or nil if it is not usual
  local a = arrivals[name]
  if a == nil then a = look_at_queue(name) end
  if not a then return nil end
  local number, ordinal = (n.id or 0) + 1, (n.ordinal or 0) + 1
  local id, records = digits(number), bucket('rec:', number)
  if not known_type('HLEN', records) then return nil end
  if not read('ZADD', a.key, digits(class * P43 + ordinal), id) then return nil end -- (the first write: it fails alone)
  n.id, n.ordinal = number, ordinal
  remember(fp, id)
  hput(records, id, record)
  a.by = a.by + 1
  return '+' .. id
end

local function settle_arrival(name) -- before the queue is looked at as any other, and at the end
  local a = arrivals[name]
  arrivals[name] = false
  if not a or a.by == 0 then return end
  local pending = a.pending + a.by
  call('HSET', T .. 'm:' .. name, 'pending', text(pending), 'admitted', text(a.admitted + a.by))
  local to = new_level(a.pending, pending)
  if to then zput(K_QUEUES, name, to) end
  bump('pending', a.by)
  bump('admitted', a.by)
  bump('id', 0)
  bump('ordinal', 0)
end

local function settle_arrivals()
  for name in pairs(arrivals) do settle_arrival(name) end
end
