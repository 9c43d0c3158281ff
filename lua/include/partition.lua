-- @include writes
-- Clock, counters and settings of the partition: read once at the beginning of a call, counters written once at its end.
local n = { id = nil, ordinal = nil, rotation = nil, admitted = nil, pending = nil, in_flight = nil, later = nil, succeeded = nil, failed = nil,
  bytes = nil, clock_max = nil, elapsed_ms = nil, run_since = nil, ix_count = nil, ix_level = nil, ix_split = nil, queues_in_process = nil }
local n_touched, now = { clock_max = true, id = nil, ordinal = nil, rotation = nil, pending = nil }, 0 -- (made at their sizes)
local OTHERS = { __index = function(all, name) -- a setting that is not among the usual ones of the script
  local value = call('HGET', K_CONF, name)
  all[name] = tonumber(value) or value or nil
  return rawget(all, name)
end }
local S

local function bump(field, by)
  n[field] = (n[field] or 0) + by
  n_touched[field] = true
end

local function typed(flat, into) -- a flat HGETALL reply; numbers as numbers
  for i = 1, #flat, 2 do into[flat[i]] = tonumber(flat[i + 1]) or flat[i + 1] end
  return into
end

local SCHEMA = 1 -- the layout of the keys that these scripts know (crawl/live.py)

local function fetch(names, numbers) -- settings; the first so many of them are numbers
  local values = call('HMGET', K_CONF, unpack(names))
  for i = 1, #names do
    local value = values[i]
    if value then S[names[i]] = i <= numbers and value + 0 or value end
  end
end

-- Returns an error reply when there is no such partition, or one of another layout.
local function open()
  -- @wanted: here the loader has S read, with all settings that the script usually asks for
  if not S.schema then return redis.error_reply('NOCRAWL no such crawl') end
  if S.schema ~= SCHEMA then return redis.error_reply('SCHEMA ' .. S.schema .. ': these scripts know ' .. SCHEMA) end
  local counters = call('HGETALL', K_N)
  for i = 1, #counters, 2 do n[counters[i]] = counters[i + 1] + 0 end
  if S.test_clock == 1 then
    now = n.test_now or 0
  else
    local t = call('TIME')
    now = t[1] * 1000 + floor(t[2] / 1000)
  end
  now = max(now, n.clock_max or 0) -- a clock set back, or a failover, never hurries a host
  n.clock_max = now
end

local function write_counters()
  local args = {}
  for field in pairs(n_touched) do
    args[#args + 1] = field
    args[#args + 1] = type(n[field]) == 'number' and text(n[field]) or n[field]
  end
  call('HSET', K_N, unpack(args))
end

-- At the hard memory limit Redis refuses commands that may need memory, unless the script has written before: for those that free some.
local function past_memory_limit()
  call('HDEL', K_N, '-')
end

local function head() -- how every reply begins
  return { S.version, S.run_state, now }
end
-- @layer
