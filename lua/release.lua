--[[
release - give URIs back untried: to their old place, or to another queue of the partition (relocation).  Costs nothing.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  id     int  first of four arguments for each URI
      2  token  str  of the claim, or * for whoever holds it (an operator)
      3  queue  str  another queue of this partition; a blank: it was admitted in another partition; or empty
      4  group  str  group of that queue, or empty
RETURNS  version, run state, now, then one text a URI: OK, GONE, STALE or !REASON
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
WRITES   n m q rec try res ix lease own w due ready inactive g gw queues log retired
]]
-- @include lease
-- @include admit
-- @include save

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
  local record = fine and S.uniqueness == 'exact' and hget(bucket('rec:', id), id)
  if record and sound(record) then
    local value
    value, why = index_get(fingerprint_of(record))
    fine = value ~= nil
  end
  return fine, why
end

local function one(id, token, name, group_name)
  local l = lease_of(id)
  if not l then return 'GONE' end
  if token ~= '*' and l.token ~= token then return 'STALE' end
  local q, bad = queue(l.queue)
  if not q then return '!' .. bad end
  local to = q
  if name ~= '' and name ~= ' ' and name ~= l.queue then
    to, bad = queue(name)
    if not to then return '!' .. bad end
  end
  local fine, why = readable(to, bucket('rec:', id))
  if fine then fine, why = known_type('ZCARD', pending_key(q)) end
  if fine and (l.deleted or name == '*') then fine, why = leavable(id) end
  if fine then fine, why = bound(to.sheet, group_name) end
  if not fine then return '!' .. why end
  untake(l)
  if l.deleted then
    drop_ghost(l, q)
  elseif name == ' ' then
    emigrate(l, q)
  elseif to ~= q then
    relocate(l, q, to, group_name)
  else
    put_back(l, q)
  end
  returned(q)
  return 'OK'
end

local bad = open()
if bad then return bad end
past_memory_limit()
local reply = head()
for i = 1, #ARGV, 4 do reply[#reply + 1] = one(ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]) end
write_held()
wake_workers()
save()
return reply
