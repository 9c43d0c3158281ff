-- @include levels
-- @include uniqueness
-- @include new_records
-- A new URI of a queue in which others wait already, and about which nothing is unusual: only two counts of the queue change, so only they are
-- read and written.  What comes of it is what admit.lua makes of it; everything else is left to that.
-- @exports usual_arrival settle_arrivals settle_arrival
local arrivals, arrived = {}, 0 -- name -> { pending and admitted so far, arrivals of this call, key of its zset }; false: not usual
local settings_fine

local function look_at_queue(name)
  if settings_fine == nil then settings_fine = S.queue_precedence_policy ~= 'highest_uri' and (n.followers or 0) == 0 end
  local a = settings_fine and not queues[name] and try('HMGET', T .. 'm:' .. name, 'pending', 'admitted', 'usual') -- (an error has no fields)
  local pending = a and (a[3] or '-') ~= '-' and (a[1] or 0) + 0 or 0
  if pending > 0 then -- (the table that is there already)
    a[1], a[2], a[3], a[4] = pending, a[2] + 0, 0, T .. 'q:' .. name
  else
    a = false
  end
  arrivals[name] = a
  return a
end

local function usual_arrival(name, class, fp, record, unasked) -- the answer, or nil if it is not usual; unasked: it may be known
  local a = arrivals[name]
  if a == nil then a = look_at_queue(name) end
  if not a then return nil end
  local number, ordinal = (n.id or 0) + 1, (n.ordinal or 0) + 1
  local id = digits(number)
  if not room_for(number) or (unasked and not index_add(fp, id)) then return nil end
  if try('ZADD', a[4], digits(-class * P43 - ordinal), id) ~= 1 then -- (the check of its key)
    if unasked then index_forget(fp) end
    return nil
  end
  n.id, n.ordinal = number, ordinal
  if not unasked then remember(fp, id) end
  keep_record(id, record)
  a[3], arrived = a[3] + 1, arrived + 1
  return '+' .. id
end

local function settle_arrival(name) -- before the queue is looked at as any other, and at the end
  local a = arrivals[name]
  arrivals[name] = false
  if not a or a[3] == 0 then return end
  local pending = a[1] + a[3]
  call('HSET', T .. 'm:' .. name, 'pending', text(pending), 'admitted', text(a[2] + a[3]))
  local to = new_level(a[1], pending)
  if to then zput(K_QUEUES, name, to) end
end

local function settle_arrivals()
  for name in pairs(arrivals) do settle_arrival(name) end
  if arrived == 0 then return end
  write_records()
  bump('pending', arrived)
  bump('admitted', arrived)
  bump('id', 0)
  bump('ordinal', 0)
end
