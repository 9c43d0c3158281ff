-- @include ordinary
-- @include told
-- @include lease_out
-- @include inactive
-- @include record
-- The usual way of a queue from due to in process in few commands: nothing unusual about it, one URI given.  What comes of it is what
-- reap.lua, turns.lua and visit.lua make of it (the model test compares); everything else is left to them.
-- @exports usual_wake usual_head usual_turn settle_turns
local DUE = { state = 'due' } -- what better_waiting asks of a queue
local settings_fine, base, balance, total -- of the crawl: may there be a usual turn at all?
local in_session, in_none -- what `usual` says of a queue of that precedence with nothing out
local turns = 0 -- usual ones of this call

local function look_at_turns(c)
  base, in_session = ordinary()
  balance, total = S.balance_replenish_amount, S.queue_total_budget
  settings_fine = base and base < S.precedence_floor and S.max_in_flight == 1 and c.per_queue >= 1 and not c.named or false
  in_none = base and in_session .. '*'
end

local function usual_queue(name, state, c) -- its fields, or nil
  if settings_fine == nil then look_at_turns(c) end
  if not settings_fine or queues[name] then return nil end
  local key = T .. 'm:' .. name
  local v = try('HMGET', key, 'state', 'usual', 'pending', 'spent', 'session_start', 'not_before')
  local usual = v[1] == state and (v[2] == in_session or v[2] == in_none) and (v[6] or 0) + 0 <= now
  v[1] = key -- (in the place of the state: one more value would have the table made anew)
  return usual and v or nil -- (an error has no fields)
end

local function usual_wake(name, c) -- true if it was one: it waits for its turn
  local v = usual_queue(name, 'due', c)
  if not v or better_waiting(DUE, base) then return false end
  note_claimable()
  n.rotation, n_touched.rotation = (n.rotation or 0) + 1, true
  READY.enter({ name = name, read = v, ready_at = nil, at = nil }, n.rotation)
  return true
end

local function may_give(v) -- not over its session or budget, not empty
  local spent = (v[4] or 0) + 0
  if v[2] == in_session and balance > 0 and spent - (v[5] or 0) > balance then return false end
  return (v[3] or 0) + 0 > 0 and (total < 0 or spent < total)
end

local function written(name, v) -- one less is pending, and it is out
  local pending = v[3] - 1
  if v[2] == in_session then
    call('HSET', v[1], 'state', 'in_process', 'pending', text(pending), 'in_flight', '1')
  else
    call('HSET', v[1], 'state', 'in_process', 'usual', in_session, 'pending', text(pending), 'in_flight', '1', 'active', '1',
      'session_start', v[4] or '0')
  end
  local to = new_level(pending + 1, pending)
  if to then zput(K_QUEUES, name, to) end
end

local function usual_turn(turn, c) -- true if it gave its URI
  local name, v = turn.name, turn.read
  if not may_give(v) then return false end
  local key = T .. 'q:' .. name
  local found = try('ZRANGE', key, '-1', '-1', 'WITHSCORES')
  local id = found[1]
  local record = id and try('HGET', record_key(id), id)
  if not record or not sound(record) then return false end
  local attempts, lost = attempts_of(id)
  if not attempts then return false end
  turn.ready_at = nil
  call('ZREMRANGEBYRANK', key, '-1', '-1') -- (ZPOPMAX looks for its member from the beginning)
  lease_out(name, id, negative(found[2]), attempts, lost, c, true)
  written(name, v)
  tell(id, name, attempts, lost, record)
  turns = turns + 1
  return true
end

local function usual_head(name, state, c) -- the same for the head of ready or inactive
  local v = usual_queue(name, state, c)
  if not v or not usual_turn({ name = name, read = v, ready_at = nil }, c) then return false end
  if state == 'ready' then
    zput(K_READY, name, false)
  else
    zput(K_INACTIVE, name, false)
    inactive_changed()
  end
  return true
end

local function settle_turns(c) -- how many there were, each of another queue
  if turns == 0 then return 0 end
  hold(c.worker, turns)
  bump('pending', -turns)
  bump('in_flight', turns)
  bump('queues_in_process', turns)
  return turns
end
