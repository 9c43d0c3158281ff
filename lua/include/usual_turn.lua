-- @include lease
-- The usual way of a queue from due to in process in few commands: nothing unusual about it, one URI given.  What comes of it is what
-- reap.lua, turns.lua and visit.lua make of it (the model test compares); everything else is left to them.
-- @exports usual_wake usual_first usual_turn tell claimed
local claimed = {} -- id, queue, attempts, lost leases, record of each in turn: the end of the reply
local DUE = { state = 'due' } -- what better_waiting asks of a queue
local settings_fine, base -- of the crawl: may there be a usual turn at all?

local function tell(c, id, name, attempts, lost, record)
  local size = c.size
  claimed[size + 1], claimed[size + 2], claimed[size + 3], claimed[size + 4], claimed[size + 5] = id, name, attempts, lost, record
  c.size = size + 5
end

local function look_at_settings(c)
  base = max(0, min(255, S.base_precedence))
  settings_fine = S.max_documents_per_queue < 0 and S.max_bytes_per_queue < 0 and (n.followers or 0) == 0 and base < S.precedence_floor
    and S.max_in_flight == 1 and c.per_queue >= 1 and not c.named
    and S.queue_precedence_policy ~= 'success_counts' and S.queue_precedence_policy ~= 'highest_uri'
end

local function usual_queue(name, state, c) -- its fields, or nil
  if settings_fine == nil then look_at_settings(c) end
  if not settings_fine or queues[name] then return nil end
  local v = read('HMGET', T .. 'm:' .. name, 'state', 'in_flight', 'more', 'precedence', 'not_before', 'pending', 'spent', 'active', 'session_start')
  local usual = v and v[1] == state and not v[3] and (not v[2] or v[2] == '0') and (v[4] or 0) + 0 == base and (v[5] or 0) + 0 <= now
  return usual and v or nil
end

local function usual_wake(name, c) -- true if it was one: it waits for its turn
  local v = usual_queue(name, 'due', c)
  if not v or better_waiting(DUE, base) then return false end
  note_claimable()
  bump('rotation', 1)
  zput(K_DUE, name, false)
  READY.enter({ name = name, read = v, ready_at = nil, at = nil }, n.rotation)
  return true
end

local function may_give(v) -- not over its session or budget, not empty
  local spent, total, balance = (v[7] or 0) + 0, S.queue_total_budget, S.balance_replenish_amount
  if v[8] == '1' and balance > 0 and spent - (v[9] or 0) > balance then return false end
  return (v[6] or 0) + 0 > 0 and (total < 0 or spent < total)
end

local function written(name, v) -- one less is pending, and it is out
  local pending = v[6] - 1
  if v[8] == '1' then
    call('HSET', T .. 'm:' .. name, 'state', 'in_process', 'in_flight', '1', 'pending', text(pending))
  else
    call('HSET', T .. 'm:' .. name, 'state', 'in_process', 'in_flight', '1', 'pending', text(pending), 'active', '1', 'session_start', v[7] or '0')
  end
  local to = new_level(pending + 1, pending)
  if to then zput(K_QUEUES, name, to) end
  bump('pending', -1)
  bump('in_flight', 1)
  bump('queues_in_process', 1)
end

local function usual_turn(turn, c) -- true if it gave its URI
  local name, v = turn.name, turn.read
  if not may_give(v) then return false end
  local key = T .. 'q:' .. name
  local found = read('ZRANGE', key, '-1', '-1', 'WITHSCORES')
  local id = found and found[1]
  local record = id and hget(bucket('rec:', id), id)
  if not record or not sound(record) then return false end
  local attempts, lost = attempts_of(id)
  if not attempts then return false end
  turn.ready_at = nil
  call('ZREMRANGEBYRANK', key, '-1', '-1')
  lease_out(name, id, negative(found[2]), attempts, lost, c)
  written(name, v)
  tell(c, id, name, attempts, lost, record)
  return true
end

local function usual_first(name, c) -- the same for an inactive queue whose turn it is
  local v = usual_queue(name, 'inactive', c)
  if not v or not usual_turn({ name = name, read = v, ready_at = nil }, c) then return false end
  zput(K_INACTIVE, name, false)
  inactive_changed()
  return true
end
