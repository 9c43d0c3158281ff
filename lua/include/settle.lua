-- @include lease
-- @include politeness
-- @include budgets
-- @include admit
-- @include result
-- @include prerequisite
-- A finished fetch takes effect (design 8): retry or final; cost, counters, record, result, rest of the host, place of the queue.
-- @general
-- @exports settle
local TAGS = { succeeded = 'Fs', failed = 'Ff', retry = 'Fr' }

local function date(l, q, at, kind) -- it waits by itself, in `later`
  zput(K_LATER, l.id, text(at))
  hput(K_LAT, l.id, q.name .. ' ' .. text(floor(l.score / P43)) .. ' ' .. kind)
  count(q, 'later', 1)
  note_due(at)
end

local function try_again(l, q, o, s)
  local delay = retry_delay(o, q, s)
  keep_attempts(l, l.attempts + 1, l.lost, o.status)
  if o.record ~= '' then hput(bucket('rec:', l.id), l.id, o.record) end
  if o.prerequisite then prerequisite(q, l, o.prerequisite) end
  if delay > 0 and s.retry_scope == 'uri' and l.id ~= q.prereq and not o.robots_unreachable then
    date(l, q, now + delay, 'retry')
  else
    put_back(l, q)
    if delay > 0 then put(q, 'snoozed_until', max(q.snoozed_until, now + delay)) end
  end
  if not o.robots_unreachable then return o.force_retire end
  put(q, 'robots_run', q.robots_run + 1)
  return o.force_retire or (q.robots_run > s.robots_max_tries and 'robots unreachable')
end

local function drop(l, verdict, record) -- only how it ended stays known
  hput(bucket('rec:', l.id), l.id, false)
  if sound(record) then note_end(fingerprint_of(record), l.id, verdict) end
end

local function end_it(l, q, o, s, verdict, record)
  if q.prereq == l.id then put(q, 'prereq', '') end
  drop_attempts(l)
  if verdict == 'deleted' then
    drop_ghost(l, q)
  else
    count(q, verdict, 1)
    if q.robots_run > 0 and o.status >= 100 then put(q, 'robots_run', 0) end -- the host answers again
    if verdict == 'succeeded' then count(q, 'bytes', o.size) end
    if o.tag and verdict == 'succeeded' then call('HINCRBY', T .. 'tags', o.tag, 1) end
    local again
    if S.retention == 'keep' or o.refetch then again = result(l, o, s, verdict) else drop(l, verdict, record) end
    if again then
      count(q, 'admitted', 1)
      put(q, 'requeued', q.requeued - 1)
      date(l, q, again, 'refetch')
    end
  end
  rest(o, q, s)
  return o.force_retire or quota_reached(q, s)
end

local function settle(l, q, o, record) -- returns the verdict
  local s = settings_of(q)
  note_failures(o, q)
  local verdict = l.deleted and 'deleted' or verdict_of(o, s, l.attempts + 1)
  local cost = record and cost_of(record) or 1
  if verdict == 'failed' then cost = cost + s.error_penalty_amount end
  if verdict ~= 'disregarded' and verdict ~= 'deleted' and not (verdict == 'retry' and o.status == -50) then put(q, 'spent', q.spent + cost) end
  if verdict ~= 'succeeded' then put(q, 'last_error', o.status) end
  untake(l)
  journal(TAGS[verdict] or 'Fd', l.id, record)
  if verdict == 'retry' then returned(q, try_again(l, q, o, s)) else returned(q, end_it(l, q, o, s, verdict, record)) end
  return verdict
end
