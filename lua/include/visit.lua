-- @include told
-- @include budgets
-- @include lease
-- @include journal
-- A look at one queue whose turn it is: it goes where it belongs, or its URIs are leased one by one (design 8, step 4).
-- @general
-- @exports elsewhere lease
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
