-- @include place
-- Where a queue goes after a wake, a claim, a finish or a reap.  Empty or over its budgets or not: claim finds that out.
-- @general
-- @exports full reenqueue unpark retire unretire returned
local function full(q) -- a prerequisite that is out holds back the rest of its queue
  return q.in_flight >= settings_of(q).max_in_flight or prerequisite_out(q)
end

local function reenqueue(q)
  if full(q) then return place(q, 'in_process') end
  if group_full(q) then return park(q) end
  local precedence = weighed(q)
  if precedence ~= q.precedence then put(q, 'precedence', precedence) end
  if waits_until(q) > now then
    place(q, 'due')
  elseif precedence >= S.precedence_floor or better_waiting(q, precedence) then
    place(q, 'inactive')
  else
    place(q, 'ready')
  end
end

local function unpark(name) -- a group has room again: the member that waits longest goes on
  local waiting, skip = T .. 'gw:' .. name, 0
  for _ = 1, 100 do
    local head = call('ZRANGE', waiting, skip, skip)[1]
    if not head or group(name).in_flight >= (group(name).limit or S.group_max_in_flight) then return end
    local q = queue(head)
    if q then call('ZREM', waiting, head) else skip = skip + 1 end -- (one that cannot be read stays)
    if q and q.state == 'in_process' and q.pending > 0 then return reenqueue(q) end
    if q and q.state == 'in_process' and q.in_flight == 0 then place(q, 'exhausted') end
  end
end

local function retire(q, why)
  put(q, 'retired_why', why)
  put(q, 'retired_at', now)
  place(q, 'retired')
  if q.group ~= '' then unpark(q.group) end
end

local function unretire(q) -- straight to inactive (or due), into a new session
  put(q, 'retired_why', '')
  put(q, 'robots_run', 0)
  place(q, full(q) and 'in_process' or waits_until(q) > now and 'due' or 'inactive')
end

-- One URI of the queue came back.  (Ready and inactive happen with max_in_flight > 1: such a queue keeps its place.)
local function returned(q, retire_why)
  out(q, -1)
  local others = q.group ~= '' and q.pending > 0 and call('ZCARD', T .. 'gw:' .. q.group) > 0
  if retire_why then
    if q.state ~= 'retired' then retire(q, retire_why) end
  elseif q.state == 'in_process' or q.state == 'exhausted' or q.state == 'due' then
    if others then park(q) else reenqueue(q) end
  end
  if q.group ~= '' then unpark(q.group) end
end
