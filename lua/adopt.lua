--[[
adopt - take in URIs as another crawler left them: waiting, waiting for a date, or finished, with what is known of their last fetch.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  queue    str   first of nine arguments for each URI (at most 500 URIs a call)
      2  group    str   queue group, or empty
      3  sheet    int   number of the sheet combination, 0 none
      4  class    int   directive * 256 + precedence
      5  fp       18 B  fingerprint
      6  record   bytes msgpack [fingerprint, cost, map]
      7  due      ms    from when on it is fetched; empty: never, it is finished
      8  verdict  str   succeeded or failed: how a finished one ended
      9  result   str   of its last fetch, as in res:; empty: none; stored by crawls that keep finished records
RETURNS  version, run state, now, then one text a URI: +ID waiting or dated, . finished, =HOW known (and left as it is), !REASON refused
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
         STATE    the crawl is stopped
         FULL     Redis is at its soft memory limit
WRITES   n m q rec res ix seen unseen bf queues inactive due g later lat log
]]
-- @include adopted
-- @include save
-- @include memory

local function offered(i) -- the nine arguments of one URI
  return { queue = ARGV[i], group = ARGV[i + 1], sheet = tonumber(ARGV[i + 2]), class = tonumber(ARGV[i + 3]), fp = ARGV[i + 4],
    record = ARGV[i + 5], due = tonumber(ARGV[i + 6]), verdict = ARGV[i + 7], result = ARGV[i + 8] }
end

local function one(u)
  local known, why = seen(u.fp)
  if known == nil then return '!' .. why end
  if known then return known_as(known) end
  local q, bad = queue(u.queue)
  if not q then return '!' .. bad end
  local fine, wrong = readable(q, bucket('rec:', (n.id or 0) + 1))
  if fine then fine, wrong = read('HLEN', bucket('res:', (n.id or 0) + 1)) end
  if fine then fine, wrong = bound(u.sheet, u.group) end
  if not fine then return '!' .. wrong end
  begin(q, u.sheet, u.group)
  if not u.due then return finished(q, u) end
  if u.due > now then return dated(q, u) end
  local id = admit(q, u.fp, u.class, u.record)
  keep(u, id)
  waits_again(id)
  return '+' .. id
end

local bad = open() or refused_now()
if bad then return bad end
local reply = head()
for i = 1, #ARGV, 9 do reply[#reply + 1] = one(offered(i)) end
if S.uniqueness == 'bitfield' then prepare_next() end
wake_workers()
save()
return reply
