-- @include reap
-- @include budgets
-- A look at one queue whose turn it is: it gives URIs, or goes where it belongs (design 8, step 4).
-- @exports claimed troubles elsewhere lease claim_again note_claimed
local claimed = {} -- { id, queue, attempts, lost leases, record } each
local troubles = {}

local function elsewhere(q, s) -- moves a queue that may not give anything; true if it was moved
  if q.pending > 0 and q.active == 0 then
    put(q, 'active', 1)
    put(q, 'session_start', q.spent)
  end
  if q.pending == 0 then
    place(q, 'exhausted')
  elseif waits_until(q) > now then
    place(q, 'due')
  elseif session_over(q, s) then
    place(q, 'inactive')
  elseif spent_up(q, s) then -- comes second: over both means inactive now, retired at the next turn
    retire(q, 'budget')
  elseif quota_reached(q, s) then
    retire(q, quota_reached(q, s))
  elseif group_full(q) then
    park(q)
    return true
  else
    return false
  end
  if q.group ~= '' then unpark(q.group) end
  return true
end

local function lease(q, id, score, c) -- false and why if the URI cannot be given out
  local record, why = hget(bucket('rec:', id), id)
  if record == nil then return false, why end
  local attempts, lost_leases = attempts_of(id)
  if not attempts then return false, lost_leases end
  local l = { id = id, token = c.token, worker = c.worker, since = c.now, score = score, queue = q.name, attempts = attempts, lost = lost_leases }
  if not sound(record) then -- quarantined: the bytes stay for inspection, the host goes on
    call('ZREM', pending_key(q), id)
    count(q, 'pending', -1)
    count(q, 'failed', 1)
    bump('corrupt', 1)
    troubles[#troubles + 1] = 'CORRUPT record ' .. id .. ' of queue ' .. q.name
    return true
  end
  take(l, q, c.expiry)
  journal('Fe', id, record)
  claimed[#claimed + 1] = { id, q.name, attempts, lost_leases, record }
  return true
end

local function claim_again(c) -- true if this very call was answered before
  for _, id in ipairs(last_claim(c.worker, c.token)) do
    local l = lease_of(id)
    if l and l.token == c.token then
      claimed[#claimed + 1] = { id, l.queue, l.attempts, l.lost, hget(bucket('rec:', id), id) or '' }
    end
  end
  return #claimed > 0
end

local function note_claimed(c)
  local ids = {}
  for i, got in ipairs(claimed) do ids[i] = got[1] end
  if #ids > 0 then note_claim(c.worker, c.token, ids) end
end
