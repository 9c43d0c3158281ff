-- @include admit
-- URIs that another crawler knows: one with a date waits for it, one that is finished is only known.
-- @exports keep dated finished
local function keep(u, id) -- what is known of the last fetch
  if S.retention == 'keep' and u.result ~= '' then hput(bucket('res:', id), id, u.result) end
end

local function stored(q, u) -- a record that is in no queue
  bump('id', 1)
  local id = text(n.id)
  remember(u.fp, id)
  hput(bucket('rec:', id), id, u.record)
  count(q, 'admitted', 1)
  keep(u, id)
  return id
end

local function dated(q, u)
  local id = stored(q, u)
  zput(K_LATER, id, text(u.due))
  hput(K_LAT, id, q.name .. ' ' .. text(u.class) .. ' refetch')
  count(q, 'later', 1)
  note_due(u.due)
  journal('F+', id, u.record)
  return '+' .. id
end

local function finished(q, u)
  if S.retention == 'keep' then
    stored(q, u)
  else
    remember(u.fp, '0')
    note_end(u.fp, '0', u.verdict)
    count(q, 'admitted', 1)
  end
  count(q, u.verdict, 1)
  return '.'
end
