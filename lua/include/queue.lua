-- @include fields
-- @include levels
-- @general
-- A queue: its hash m:<queue> read once a call into a table; what differs is written back once at the end (include/save.lua).
-- @exports queue bound pending_key put count settings_of
local sheets, OVER, ABSENT = {}, { __index = S }, { __index = COLD }

local function load_more(q)
  local flat = call('HGETALL', q.key)
  for i = 1, #flat, 2 do
    local field, value = flat[i], flat[i + 1]
    if COLD[field] then q[field] = TEXTUAL[field] and value or tonumber(value) end
  end
end

local function bound(number, group_name) -- may the keys of a sheet combination and of a group be read?  nil and why if not
  local fine, why = true, nil
  if number > 0 then fine, why = known_type('HLEN', T .. 'conf:' .. number) end
  if fine and group_name ~= '' and group_name ~= '-' then
    fine, why = known_type('HLEN', T .. 'g:' .. group_name)
    if fine then fine, why = known_type('ZCARD', T .. 'gw:' .. group_name) end
  end
  return fine, why
end

local function queue(name) -- the queue, new ones too; or nil and why its key cannot be read
  local q = queues[name]
  if q then return q end
  local key = T .. 'm:' .. name
  local v, why = read('HMGET', key, 'state', 'usual', 'pending', 'spent', 'not_before', 'admitted', 'in_flight', 'succeeded',
    'bytes', 'precedence', 'active', 'session_start') -- HOT
  if not v then return nil, why end
  local new = not v[1]
  if new then v[1] = 'exhausted' end
  for i = 3, 12 do v[i] = (v[i] or 0) + 0 end -- (no tonumber: a call for each would cost more)
  -- One table, made as large as it will be: growing it step by step costs more than all else here.
  q = setmetatable({ name = name, key = key, was = v, new = new, pending_key = nil, put = nil, state = v[1], more = false, pending = v[3],
    spent = v[4], not_before = v[5], admitted = v[6], in_flight = v[7], succeeded = v[8], bytes = v[9], precedence = v[10], active = v[11],
    session_start = v[12] }, ABSENT)
  if not new and (v[2] or '-') == '-' then -- (none at all: who wrote it knows no such word)
    q.more = true
    load_more(q)
    local fine, wrong = bound(q.sheet, q.group)
    if not fine then return nil, wrong end
  end
  queues[name] = q
  return q
end

local function pending_key(q) -- of the zset of its URIs
  local key = q.pending_key
  if not key then
    key = T .. 'q:' .. q.name
    q.pending_key = key
  end
  return key
end

local function put(q, field, value) -- a hot one may be set without
  if q[field] == value then return end
  q[field] = value
  if COLD[field] then
    q.put = q.put or {}
    q.put[field], q.more = true, true
  end
end

local function count(q, field, by) -- a counter of the queue and of the partition
  if COLD[field] then put(q, field, q[field] + by) else q[field] = q[field] + by end
  n[field], n_touched[field] = (n[field] or 0) + by, true
end

local function settings_of(q) -- those of the queue's sheet, over those of the crawl
  local number = q.sheet
  if number == 0 then return S end
  sheets[number] = sheets[number] or setmetatable(typed(call('HGETALL', T .. 'conf:' .. number), {}), OVER)
  return sheets[number]
end
