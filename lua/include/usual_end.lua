-- @include ordinary
-- @include delay
-- @include sane
-- @include held
-- @include wake_up
-- @include levels
-- @include note_end
-- @include first_try
-- The usual end of a visit in few commands: a first try, answered, of a queue with nothing unusual.  What comes of it is what settle.lua
-- makes of it (the model test compares); everything else is left to that.
-- @exports usual_end settle_ends
local settings_fine, in_session -- of the crawl: may there be a usual end at all?  what `usual` says of a queue of its one precedence
local statuses, delays, sizes = {}, {}, {} -- of this call, by text: is it usual?  how long the host rests; bytes

local function look_at_ends()
  local base, word = ordinary()
  in_session = word
  settings_fine = base and S.retention ~= 'keep' and S.max_per_host_bandwidth_usage_kb_sec <= 0 or false
end

local function is_usual(status)
  local s = tonumber(status)
  statuses[status] = s and s == floor(s) and s > 0 and s <= 9999 and not listed(S.retry_statuses, s) and not listed(S.slow_statuses, s) or false
  return statuses[status]
end

local function delay_of(duration)
  delays[duration] = polite_delay({ duration = duration ~= '' and sane(duration, 86400000) or nil, size = 0 }, nil, S)
  return delays[duration]
end

local function size_of(size)
  sizes[size] = size ~= '' and sane(size, P51) or 0
  return sizes[size]
end

local ends, end_bytes, emptied = 0, 0, 0 -- usual ones of this call
local gone, due = {}, {} -- their ids; their queues, each behind the time at which it is due

local function ended(id, name, v, until_ms, cost, size)
  call('HSET', v[1], 'state', 'due', 'in_flight', '0', 'spent', text((v[4] or 0) + cost), 'succeeded', text((v[5] or 0) + 1),
    'bytes', text((v[6] or 0) + size), 'not_before', text(until_ms))
  end_bytes, n.rotation = end_bytes + size, (n.rotation or 0) + 1
  due[ends * 2 + 1], due[ends * 2 + 2] = text(until_ms), name
  ends = ends + 1
  gone[ends] = id
  if v[3] == '0' then emptied = emptied + 1 end
  note_due(until_ms)
end

local function usual_end(own, id, token, status, duration, size) -- true if it was one; own: what was known of the lease when the call began
  if settings_fine == nil then look_at_ends() end
  if not own or not settings_fine or not (statuses[status] or statuses[status] == nil and is_usual(status)) then return false end
  local name, worker = first_try(own, token)
  if not name or queues[name] then return false end
  local key = T .. 'm:' .. name
  local v = try('HMGET', key, 'state', 'usual', 'pending', 'spent', 'succeeded', 'bytes', 'not_before')
  if v[1] ~= 'in_process' or v[2] ~= in_session then return false end -- (an error has no fields)
  local bucket_key = record_key(id)
  local record = try('HGET', bucket_key, id)
  local until_ms = max((v[7] or 0) + 0, now + (delays[duration] or delay_of(duration)))
  if until_ms <= now or not record or not sound(record) then return false end
  if not note_end(fingerprint_of(record), id, 'succeeded', true) then return false end -- (the first write: it fails alone)
  hold(worker, -1)
  v[1] = key -- (in the place of the state: one more value would have the table made anew)
  call('HDEL', bucket_key, id)
  ended(id, name, v, until_ms, cost_of(record), sizes[size] or size_of(size))
  return true
end

local function settle_ends() -- before the counters are looked at
  if ends == 0 then return end
  send('ZADD', K_DUE, due, ends * 2)
  send('ZREM', K_LEASE, gone, ends)
  send('HDEL', K_OWN, gone, ends)
  bump('in_flight', -ends)
  bump('queues_in_process', -ends)
  bump('succeeded', ends)
  bump('bytes', end_bytes)
  bump('rotation', 0)
  if emptied > 0 then bump('empty_due', emptied) end
end
