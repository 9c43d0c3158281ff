--[[
finish - take the outcomes of fetches: disposition, budget, politeness, retry, retirement, next fetch.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  id        int   first of seven arguments for each outcome
      2  token     str   of the claim
      3  status    int   fetch status (Heritrix' numbers)
      4  duration  ms    of the fetch, or empty
      5  size      bytes or empty
      6  extras    str   "name=value;…": delay, crawl_delay, retry_after, refetch, modified, digest, tag, flags (r c u), class, fp (hex)
      7  record    bytes the new record, or empty; with class and fp: the prerequisite's record
RETURNS  version, run state, now, then one text an outcome: +VERDICT, GONE, STALE or !REASON
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
WRITES   n m q rec try res ix lease own w later lat due ready inactive retired g gw queues unseen bf tags conf log seen
]]
-- @include usual
-- @include settle
-- @include limits
-- @include save

local function prerequisite_of(o) -- in place of a new record
  if not (o.class and o.fp) then return end
  local fp = string.gsub(o.fp, '%x%x', function(h) return string.char(tonumber(h, 16)) end)
  o.prerequisite, o.record = { class = tonumber(o.class), fp = fp, record = o.record }, ''
end

local function writable(q, l, o) -- are all keys of their types that this may write, beside those just read?
  local fine, why = readable(q, bucket('rec:', (n.id or 0) + 1))
  if fine then fine, why = known_type('HLEN', bucket('try:', l.id)) end
  if fine and S.retention == 'keep' then fine, why = known_type('HLEN', bucket('res:', l.id)) end
  if fine and o.prerequisite then
    local known
    known, why = seen(o.prerequisite.fp)
    fine = known ~= nil
  end
  return fine, why
end

local function one(i)
  local o = outcome(ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4], ARGV[i + 5], ARGV[i + 6])
  local l = lease_of(o.id)
  if not l then return 'GONE' end
  if l.token ~= o.token then return 'STALE' end
  local why = refused(o)
  if why then return '!' .. why end
  prerequisite_of(o)
  local q, record, bad
  q, bad = queue(l.queue)
  if not q then return '!' .. bad end
  record, bad = hget(bucket('rec:', l.id), l.id)
  if record == nil then return '!' .. bad end
  local fine, wrong
  if S.retention == 'keep' or tried_again(o, settings_of(q)) then
    fine, wrong = writable(q, l, o)
  else -- a final one writes nothing else of its queue
    fine, wrong = endable(record)
  end
  if not fine then return '!' .. wrong end
  return '+' .. settle(l, q, o, record)
end

local bad = open()
if bad then return bad end
past_memory_limit()
local reply, ids = head(), {}
for i = 1, #ARGV, 7 do ids[#ids + 1] = ARGV[i] end
prefetch(K_OWN, ids)
for i = 1, #ARGV, 7 do
  local usual = ARGV[i + 5] == '' and ARGV[i + 6] == '' and usual_end(ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4])
  reply[#reply + 1] = usual and '+succeeded' or one(i)
end
settle_ends()
check_limits()
write_held()
wake_workers()
save()
reply[2] = S.run_state
return reply
