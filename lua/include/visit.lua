-- @include told
-- @include budgets
-- @include lease
-- @include journal
-- A look at one queue whose turn it is: it gives URIs, or goes where it belongs (design 8, step 4).
-- @general
-- @exports give take_named
local function turned_away(q, s) -- where a queue that may not give anything goes; true if it was moved
  if session_over(q, s) then
    place(q, 'inactive')
  elseif spent_up(q, s) then -- comes second: over both means inactive now, retired at the next turn
    retire(q, 'budget')
  elseif quota_reached(q, s) then
    retire(q, quota_reached(q, s))
  else
    return false
  end
  return true
end

local function elsewhere(q, s) -- moves a queue that may not give anything; true if it was moved
  if q.pending > 0 and q.active == 0 then q.active, q.session_start = 1, q.spent end
  if q.pending == 0 then
    place(q, 'exhausted')
  elseif waits_until(q) > now then
    place(q, 'due')
  elseif not turned_away(q, s) then
    if q.group == '' or not group_full(q) then return false end
    park(q)
    return true
  end
  if q.group ~= '' then unpark(q.group) end
  return true
end

local function quarantine(q, id) -- the bytes stay for inspection, the host goes on
  call('ZREM', pending_key(q), id)
  count(q, 'pending', -1)
  count(q, 'failed', 1)
  bump('corrupt', 1)
  troubles[#troubles + 1] = 'CORRUPT record ' .. id .. ' of queue ' .. q.name
end

local function lease(q, id, score, c) -- true if it is given out; why if it can neither be given out nor put away
  local record, why = hget(bucket('rec:', id), id)
  if record == nil then return false, why end
  local attempts, lost_leases = attempts_of(id)
  if not attempts then return false, lost_leases end
  if not sound(record) then return false, quarantine(q, id) end
  take(q, id, score, attempts, lost_leases, c)
  journal('Fe', id, record)
  tell(id, q.name, attempts, lost_leases, record)
  return true
end

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

local function take_named(c, name) -- the same rules for a queue that is asked for
  local q, why = queue(name)
  if why then troubles[#troubles + 1] = why end
  if q and (q.state == 'ready' or (q.state == 'inactive' and q.precedence < S.precedence_floor)) then give(q, c) end
end
