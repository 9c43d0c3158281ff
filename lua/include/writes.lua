-- @include keys
-- Writes to the shared zsets and hashes are gathered during a call and sent together, one command a key; the last one of a member wins.
-- @exports zput zget hput hget prefetch send flush flush_all known_type
local zsets, hashes, types, fetched = {}, {}, {}, {}
local AT_ONCE = 1000 -- values that one command takes

local function zput(key, member, score) -- false: remove
  local z = zsets[key]
  if not z then
    z = {}
    zsets[key] = z
  end
  z[member] = score
end

local function hput(key, field, value) -- false: remove
  local h = hashes[key]
  if not h then
    h = {}
    hashes[key] = h
  end
  h[field] = value
end

local function zget(key, member) -- the score as text, or false
  local z = zsets[key]
  if z and z[member] ~= nil then return z[member] end
  return call('ZSCORE', key, member)
end

local function hget(key, field) -- the value, or false; nil and why when the key is of another type
  local h = hashes[key]
  if h and h[field] ~= nil then return h[field] end
  h = fetched[key]
  if h and h[field] ~= nil then return h[field] end
  return read('HGET', key, field)
end

-- Reads fields of one hash at once: their values in order, and by field, where hget finds them (none of a key of another type).
local function prefetch(key, fields)
  local values = read('HMGET', key, unpack(fields))
  if not values then return {}, {} end
  local found = {}
  for i = 1, #fields do found[fields[i]] = values[i] end
  fetched[key] = found
  return values, found
end

local function send(command, key, args, size)
  for i = 1, size, AT_ONCE do call(command, key, unpack(args, i, min(i + AT_ONCE - 1, size))) end
end

local function sent(changes, key, put, remove, score_first)
  if not changes[key] then return end
  local adds, more, drops, less = {}, 0, {}, 0 -- (counted: asking a table for its length costs more)
  for member, value in pairs(changes[key]) do
    if not value then
      drops[less + 1], less = member, less + 1
    elseif score_first then
      adds[more + 1], adds[more + 2], more = value, member, more + 2
    else
      adds[more + 1], adds[more + 2], more = member, value, more + 2
    end
  end
  changes[key] = nil
  send(remove, key, drops, less)
  send(put, key, adds, more)
end

local function flush(key) -- before it is read
  fetched[key] = nil
  sent(hashes, key, 'HSET', 'HDEL', false)
  sent(zsets, key, 'ZADD', 'ZREM', true)
end

local function flush_all()
  for key in pairs(hashes) do flush(key) end
  for key in pairs(zsets) do flush(key) end
end

local function known_type(command, key) -- is the key of its type (asked once a call)?  nil and why if not
  if not types[key] then
    local size, why = read(command, key)
    if not size then return nil, why end
    types[key] = true
  end
  return true
end
