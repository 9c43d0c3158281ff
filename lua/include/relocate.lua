-- @include lease
-- @include admit
-- Relocation: a leased URI moves to another queue of the partition, or has been admitted in another partition and leaves this one.
-- @exports emigrate relocate leavable
local function leave(l, from)
  if from.prereq == l.id then put(from, 'prereq', '') end -- it no longer holds that queue back
  count(from, 'admitted', -1)
  put(from, 'requeued', from.requeued + 1) -- admitted + requeued stays what entered the queue, as Heritrix counts it
end

local function emigrate(l, from) -- it lives in another partition by now; here it stays known
  leave(l, from)
  local record = hget(bucket('rec:', l.id), l.id)
  for _, kind in ipairs({ 'rec:', 'res:' }) do hput(bucket(kind, l.id), l.id, false) end
  drop_attempts(l)
  if sound(record) then note_end(fingerprint_of(record), l.id, 'excluded') end
end

local function relocate(l, from, to, group_name)
  begin(to, to.sheet, group_name)
  leave(l, from)
  count(to, 'admitted', 1)
  arrive(to, l.id, floor(l.score / P43))
  journal('F+', l.id, (n.followers or 0) > 0 and call('HGET', bucket('rec:', l.id), l.id))
end

local function leavable(id) -- may the other keys be read that know of the URI?
  local fine, why = known_type('HLEN', bucket('try:', id))
  if fine then fine, why = known_type('HLEN', bucket('res:', id)) end
  if fine then fine, why = endable(hget(bucket('rec:', id), id)) end
  return fine, why
end
