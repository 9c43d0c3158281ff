-- @include partition
-- A queue: its hash m:<queue> read once a call into a table; what changed is written back once at the end.
-- @exports queues queue pending_key mark put count settings_of TEXTUAL
local FIELDS = { -- the closed list, with what an absent field means
  state = 'exhausted', precedence = 0, base = -1, sheet = 0, group = '', active = 0, session_start = 0, spent = 0, budget = -2,
  admitted = 0, requeued = 0, pending = 0, in_flight = 0, ghosts = 0, later = 0, succeeded = 0, failed = 0, disregarded = 0,
  excluded = 0, deleted = 0, bytes = 0, not_before = 0, snoozed_until = 0, bandwidth_until = 0, prereq = '', slow_run = 0,
  slow_at = 0, fail_run = 0, robots_run = 0, retired_why = '', retired_at = 0, last_error = 0, lost = 0, more = 0,
}
local TEXTUAL = { state = true, group = true, prereq = true, retired_why = true }
-- Read of every queue; the others only of a queue that has `more`, as most have not.
local HOT = { state = true, precedence = true, active = true, session_start = true, spent = true, admitted = true, pending = true,
  in_flight = true, succeeded = true, bytes = true, not_before = true, snoozed_until = true, sheet = true, more = true }
local queues = {} -- name -> queue, in this call
local sheets, OVER = {}, { __index = S }

local ABSENT = { __index = FIELDS }

local function load_more(q)
  local flat = call('HGETALL', T .. 'm:' .. q.name)
  for i = 1, #flat, 2 do
    local field, value = flat[i], flat[i + 1]
    if not HOT[field] then q[field] = TEXTUAL[field] and value or tonumber(value) end
  end
end

local function queue(name) -- the queue, new ones too; or nil and why its key cannot be read
  local q = queues[name]
  if q then return q end
  local v, why = read('HMGET', T .. 'm:' .. name, 'state', 'precedence', 'active', 'session_start', 'spent', 'admitted', 'pending',
    'in_flight', 'succeeded', 'bytes', 'not_before', 'snoozed_until', 'sheet', 'more')
  if not v then return nil, why end
  local state, pending = v[1] or 'exhausted', tonumber(v[7] or 0)
  -- One table, made as large as it will be: growing it step by step costs more than all else here.
  q = setmetatable({ name = name, changed = { false, false, false, false, false, false, false, false }, changes = 0, new = not v[1],
    was_state = state, was_pending = pending, state = state, precedence = tonumber(v[2] or 0), active = tonumber(v[3] or 0),
    session_start = tonumber(v[4] or 0), spent = tonumber(v[5] or 0), admitted = tonumber(v[6] or 0), pending = pending,
    in_flight = tonumber(v[8] or 0), succeeded = tonumber(v[9] or 0), bytes = tonumber(v[10] or 0),
    not_before = tonumber(v[11] or 0), snoozed_until = tonumber(v[12] or 0), sheet = tonumber(v[13] or 0), more = tonumber(v[14] or 0),
    key = nil }, ABSENT)
  queues[name] = q
  if q.more == 1 then load_more(q) end
  return q
end

local function pending_key(q) -- of the zset of its URIs
  local key = q.key
  if not key then
    key = T .. 'q:' .. q.name
    q.key = key
  end
  return key
end

local function mark(q, field) -- to be written
  q.changes = q.changes + 1
  q.changed[q.changes] = field
end

local function put(q, field, value)
  if q[field] == value then return end
  q[field] = value
  mark(q, field)
  if not HOT[field] and q.more == 0 then
    q.more = 1
    mark(q, 'more')
  end
end

local function count(q, field, by) -- a counter of the queue and of the partition
  put(q, field, q[field] + by)
  bump(field, by)
end

local function settings_of(q) -- those of the queue's sheet, over those of the crawl
  if q.sheet == 0 then return S end
  sheets[q.sheet] = sheets[q.sheet] or setmetatable(typed(call('HGETALL', T .. 'conf:' .. q.sheet), {}), OVER)
  return sheets[q.sheet]
end
