--[[
delete - take URIs out of the crawl; they may be found again.  A leased one is flagged: its finish ends the visit politely.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  how    str  deleted (forgotten) or excluded (still known)
      2  upto   int  only ids up to this one (0: all): what was admitted before the deletion began
      3  queue  str  first of two arguments for each URI: where it is
      4  id     int  its id
RETURNS  version, run state, now, then one number a URI: 1 gone, 0 not there
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
WRITES   n m q rec try res ix unseen own later lat queues log
]]
-- @include lease
-- @include uniqueness
-- @include journal
-- @include save

local how, upto = ARGV[1], tonumber(ARGV[2])

local function unlearn(id, record)
  if sound(record) then
    local fp = fingerprint_of(record)
    if how == 'excluded' then
      note_end(fp, id, 'excluded')
    elseif S.uniqueness ~= 'exact' or index_get(fp) == id then -- (a newer copy in another queue stays known)
      forget(fp)
    end
  end
  journal('Fd', id, record)
end

local function drop(q, id, record)
  unlearn(id, record)
  if (n.tried or 0) > 0 and hget(bucket('try:', id), id) then bump('tried', -1) end
  for _, kind in ipairs({ 'rec:', 'try:', 'res:' }) do hput(bucket(kind, id), id, false) end
  count(q, how, 1)
end

local function writable(id, record) -- may all keys of the URI be read?
  for _, kind in ipairs({ 'try:', 'res:' }) do
    if not known_type('HLEN', bucket(kind, id)) then return false end
  end
  return S.uniqueness ~= 'exact' or not sound(record) or index_get(fingerprint_of(record)) ~= nil
end

local function one(name, id)
  local q = queue(name)
  local record = q and hget(bucket('rec:', id), id)
  if not record or (upto > 0 and tonumber(id) > upto) or not known_type('ZCARD', T .. 'q:' .. name) or not writable(id, record) then return 0 end
  local l = lease_of(id)
  if l then
    if l.deleted then return 0 end
    l.deleted = true
    write_lease(l)
    unlearn(id, record)
    count(q, how, 1)
    count(q, 'ghosts', 1)
  elseif call('ZREM', T .. 'q:' .. name, id) == 1 then
    count(q, 'pending', -1)
    drop(q, id, record)
  elseif hget(K_LAT, id) then
    zput(K_LATER, id, false)
    hput(K_LAT, id, false)
    count(q, 'later', -1)
    drop(q, id, record)
  else
    return 0
  end
  if q.prereq == id then put(q, 'prereq', '') end
  return 1
end

local bad = open()
if bad then return bad end
past_memory_limit()
local reply = head()
for i = 3, #ARGV, 2 do reply[#reply + 1] = one(ARGV[i], ARGV[i + 1]) end
save()
return reply
