-- @include queue
-- Queue groups: several queues share one politeness and one limit of URIs out; each keeps its own budget (design 2, 9).
-- @general
-- @exports group join group_full waits_until out polite_until
local groups = {}

local function group(name)
  local g = groups[name]
  if not g then
    g = typed(call('HGETALL', T .. 'g:' .. name), { not_before = 0, in_flight = 0, members = 0 })
    groups[name] = g
  end
  return g
end

local function put_group(name, field, value)
  group(name)[field] = value
  call('HSET', T .. 'g:' .. name, field, text(value))
end

local function join(q, name) -- a queue enters its group when it is made, or (one that a relocation made) with its next URI
  put(q, 'group', name)
  put_group(name, 'members', group(name).members + 1)
  if q.in_flight > 0 then put_group(name, 'in_flight', group(name).in_flight + q.in_flight) end
  if q.not_before > group(name).not_before then put_group(name, 'not_before', q.not_before) end
end

local function group_full(q)
  return q.group ~= '' and group(q.group).in_flight >= (group(q.group).limit or S.group_max_in_flight)
end

local function waits_until(q) -- politeness of the queue and its group, retry delay, snooze
  local t = max(q.not_before, q.snoozed_until)
  return q.group == '' and t or max(t, group(q.group).not_before)
end

local function out(q, by) -- URIs of the queue (and its group) that are out
  count(q, 'in_flight', by)
  if q.group ~= '' then put_group(q.group, 'in_flight', group(q.group).in_flight + by) end
end

local function polite_until(q, t)
  if t > q.not_before then put(q, 'not_before', t) end
  if q.group ~= '' and t > group(q.group).not_before then put_group(q.group, 'not_before', t) end
end
