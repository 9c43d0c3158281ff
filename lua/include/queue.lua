-- @include partition
-- A queue: its hash m:<queue> read once a call into a table; what changed is written back once at the end.
-- @exports queues queue pending_key put count settings_of TEXTUAL
local FIELDS = { -- the closed list, with what an absent field means
  state = 'exhausted', precedence = 0, base = -1, sheet = 0, group = '', active = 0, session_start = 0, spent = 0, budget = -2,
  admitted = 0, requeued = 0, pending = 0, in_flight = 0, ghosts = 0, later = 0, succeeded = 0, failed = 0, disregarded = 0,
  excluded = 0, deleted = 0, bytes = 0, not_before = 0, snoozed_until = 0, bandwidth_until = 0, prereq = '', slow_run = 0,
  slow_at = 0, fail_run = 0, robots_run = 0, retired_why = '', retired_at = 0, last_error = 0, lost = 0,
}
local TEXTUAL = { state = true, group = true, prereq = true, retired_why = true }
local ABSENT = { __index = FIELDS }
local queues = {} -- name -> queue, in this call
local sheets, OVER = {}, { __index = S }

local function queue(name) -- the queue, new ones too; or nil and why its key cannot be read
  local q = queues[name]
  if q then return q end
  local flat, why = read('HGETALL', T .. 'm:' .. name)
  if not flat then return nil, why end
  -- Both tables are made as large as they will be: growing them step by step costs more than all else here.
  local changed = { state = nil, pending = nil, in_flight = nil, spent = nil, succeeded = nil, not_before = nil, active = nil, admitted = nil }
  q = setmetatable({ name = name, _ = changed, new = #flat == 0, was_state = '', was_pending = 0, state = nil, precedence = nil, active = nil,
    session_start = nil, spent = nil, admitted = nil, pending = nil, in_flight = nil, succeeded = nil, bytes = nil, not_before = nil,
    snoozed_until = nil, key = nil }, ABSENT)
  for i = 1, #flat, 2 do
    local field, value = flat[i], flat[i + 1]
    q[field] = TEXTUAL[field] and value or tonumber(value)
  end
  q.was_state, q.was_pending = q.state, q.pending
  queues[name] = q
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

local function put(q, field, value)
  if q[field] ~= value then q[field], q._[field] = value, value end
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
