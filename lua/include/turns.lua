-- @include visit
-- Whose turn it is: the head of ready; only if nothing is ready, the head of inactive below the floor (design 8, step 4).
-- @exports take_turns take_named next_wait
local STEPS = 100 -- looks at queues that gave nothing, in one call

local function give(q, c) -- how many URIs of the queue were leased; nil if its keys cannot be read
  local s = settings_of(q)
  if elsewhere(q, s) then return 0 end
  local total, given = total_budget(q, s), 0
  local room = min(c.per_queue, s.max_in_flight - q.in_flight, c.room or c.per_queue)
  if total >= 0 then room = min(room, total - q.spent - q.in_flight) end -- what is out may spend the rest
  if room <= 0 then
    place(q, 'in_process')
    return 0
  end
  local found, why = read('ZRANGE', pending_key(q), '0', text(room - 1), 'REV', 'WITHSCORES')
  for i = 1, found and #found or 0, 2 do
    if q.prereq ~= '' and prerequisite_out(q) or q.group ~= '' and group_full(q) then break end
    local leased, wrong = lease(q, found[i], negative(found[i + 1]), c)
    if leased then given = given + 1 end
    why = why or wrong
  end
  if why then troubles[#troubles + 1] = why end
  if given == 0 and why then return nil end
  if c.room then c.room = c.room - given end
  reenqueue(q)
  return given
end

-- Queues in the order of their turns; of inactive the next is good only after a usual turn.  skip: unreadable ones at the head.
local function heads(skip, limit)
  flush(K_READY)
  local ready = call('ZRANGE', K_READY, skip.ready, skip.ready + limit - 1)
  if #ready > 0 then return ready, 'ready' end
  ready = next_ready(limit)
  if #ready > 0 then return ready, 'fresh' end
  flush(K_INACTIVE)
  return call('ZRANGE', K_INACTIVE, '-inf', '(' .. text(S.precedence_floor * P43), 'BYSCORE', 'LIMIT', skip.inactive, min(limit, skip.at_once)), 'inactive'
end

-- (A name, or what `next_ready` has.)  How many URIs were leased, nil and why if its keys cannot be read; was its turn a usual one?
local function visit(whose, list, c)
  local usual, q, why = false, nil, nil
  if list == 'inactive' then usual = usual_first(whose, c) elseif list == 'fresh' then usual = not whose.was and usual_turn(whose, c) end
  if usual then
    if c.room then c.room = c.room - 1 end
    return 1, nil, true
  end
  if list == 'fresh' then q = whole(whose) else q, why = queue(whose) end
  return q and give(q, c), why, false
end

local function take_turns(c) -- true if a bound stopped it
  local steps, skip = 0, { ready = 0, fresh = 0, inactive = 0, at_once = 1 }
  while c.queues > 0 and (c.room or 1) > 0 do
    local turn, list = heads(skip, min(c.queues, STEPS))
    if #turn == 0 then return false end
    for _, whose in ipairs(turn) do
      local got, why, usual = visit(whose, list, c)
      skip.at_once = usual and STEPS or 1
      if why then troubles[#troubles + 1] = why end
      if not got then skip[list] = skip[list] + 1 end
      if (got or 0) > 0 then c.queues = c.queues - 1 else steps = steps + 1 end
      if steps >= STEPS then return true end
      if c.queues <= 0 or (c.room or 1) <= 0 or (list == 'inactive' and not usual) then break end
    end
  end
end

local function take_named(c, name) -- the same rules for a queue that is asked for
  local q, why = queue(name)
  if why then troubles[#troubles + 1] = why end
  if q and (q.state == 'ready' or (q.state == 'inactive' and q.precedence < S.precedence_floor)) then give(q, c) end
end

local function next_wait(name) -- ms until something is due, -1 for never
  local at = math.huge
  if name ~= '' then
    local q = queue(name)
    if q and q.state == 'due' then at = waits_until(q) end
  else
    at = min(first(K_DUE) or at, first(K_LATER) or at, first(K_LEASE) or at)
  end
  return at < math.huge and max(0, at - now) or -1
end
