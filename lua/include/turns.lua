-- @include usual_turn
-- @include give
-- Whose turn it is: the head of ready; only if nothing is ready, the head of inactive below the floor (design 8, step 4).
-- @exports take_turns next_wait
local STEPS = 100 -- looks at queues that gave nothing, in one call

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
  if list == 'fresh' then usual = not whose.was and usual_turn(whose, c) else usual = usual_head(whose, list, c) end
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

local function next_wait(name) -- ms until something is due, -1 for never
  local at = math.huge
  if name ~= '' then
    local q = queue(name)
    if q and q.state == 'due' then at = waits_until(q) end
  else
    at = min(first(K_DUE) or at, (n.later or 0) > 0 and first(K_LATER) or at, first(K_LEASE) or at)
  end
  return at < math.huge and max(0, at - now) or -1
end
