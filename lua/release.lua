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
-- @include relocate
-- @include save

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
  if fine and (l.deleted or name == ' ') then fine, why = leavable(id) end
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
