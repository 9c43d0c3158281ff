-- @include lease
-- @include uniqueness
-- @include journal
-- A URI whose workers keep dying fails (-3000, as Heritrix' SERIOUS_ERROR); one that is kept is gone, and has no date any more.
-- @general
-- @exports give_up
local function give_up(l, q)
  local key = bucket('rec:', l.id)
  local record = hget(key, l.id)
  local fine = sound(record)
  count(q, 'failed', 1)
  put(q, 'last_error', -3000)
  put(q, 'spent', q.spent + (fine and cost_of(record) or 1) + settings_of(q).error_penalty_amount)
  if q.prereq == l.id then put(q, 'prereq', '') end
  drop_attempts(l)
  journal('Ff', l.id, record)
  if S.retention ~= 'keep' then
    hput(key, l.id, false)
    if fine then note_end(fingerprint_of(record), l.id, 'failed') end
    return
  end
  local results = bucket('res:', l.id)
  local old = string.match(hget(results, l.id) or '', '^%S+ %S+ %S+ (%d+ %d+ %d+ %S+) ') or '0 0 0 -'
  hput(results, l.id, '3 -3000 ' .. text(now) .. ' ' .. old .. ' 0')
end
