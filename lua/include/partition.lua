-- @include writes
-- Clock, counters and settings of the partition: read once at the beginning of a call, counters written once at its end.
local n, n_touched, now = {}, {}, 0
local S = setmetatable({}, { __index = function(all, name) -- a setting that is not among the usual ones of the script
  local value = call('HGET', K_CONF, name)
  all[name] = tonumber(value) or value or nil
  return rawget(all, name)
end })

local function bump(field, by)
  n[field] = (n[field] or 0) + by
  n_touched[field] = true
end

local function typed(flat, into) -- a flat HGETALL reply; numbers as numbers
  for i = 1, #flat, 2 do into[flat[i]] = tonumber(flat[i + 1]) or flat[i + 1] end
  return into
end

local WANTED = { 'schema' } -- @wanted: the loader puts in the names of all settings that the script reads

local SCHEMA = 1 -- the layout of the keys that these scripts know (crawl/live.py)

-- Returns an error reply when there is no such partition, or one of another layout.
local function open()
  local values = call('HMGET', K_CONF, unpack(WANTED))
  for i, name in ipairs(WANTED) do S[name] = tonumber(values[i]) or values[i] or nil end
  if not S.schema then return redis.error_reply('NOCRAWL no such crawl') end
  if S.schema ~= SCHEMA then return redis.error_reply('SCHEMA ' .. S.schema .. ': these scripts know ' .. SCHEMA) end
  typed(call('HGETALL', K_N), n)
  if S.test_clock == 1 then
    now = n.test_now or 0
  else
    local t = call('TIME')
    now = t[1] * 1000 + floor(t[2] / 1000)
  end
  now = max(now, n.clock_max or 0) -- a clock set back, or a failover, never hurries a host
  n.clock_max, n_touched.clock_max = now, true
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
