--[[
examine - hold the counters of the partition, and of some queues, against what is there, in one moment; changes nothing.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  queue  str  to be looked at, any number (at most 200 a call)
RETURNS  version, run state, now, then for each difference: queue (empty: the partition), what, counted, found
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
WRITES   nothing
]]
-- @include queue
-- @include levels

local bad = open()
if bad then return bad end
local reply = head()
local PLACES = { due = K_DUE, ready = K_READY, inactive = K_INACTIVE, retired = K_RETIRED }

local function differs(name, what, counted, found)
  if counted == found then return end
  for _, value in ipairs({ name, what, counted, found }) do
    reply[#reply + 1] = type(value) == 'number' and text(value) or tostring(value)
  end
end

local function accounted(c) -- leased and deleted ones (ghosts) are counted as deleted already
  local sum = (c.pending or 0) + (c.in_flight or 0) - (c.ghosts or 0) + (c.later or 0)
  return sum + (c.succeeded or 0) + (c.failed or 0) + (c.disregarded or 0) + (c.excluded or 0) + (c.deleted or 0)
end

local function partition()
  differs('', 'admitted', n.admitted or 0, accounted(n))
  differs('', 'in_flight (lease)', n.in_flight or 0, call('ZCARD', K_LEASE))
  differs('', 'in_flight (own)', n.in_flight or 0, call('HLEN', K_OWN))
  differs('', 'later (later)', n.later or 0, call('ZCARD', K_LATER))
  differs('', 'later (lat)', n.later or 0, call('HLEN', K_LAT))
  local placed = (n.queues_in_process or 0) + (n.queues_exhausted or 0)
  for _, key in pairs(PLACES) do placed = placed + call('ZCARD', key) end
  differs('', 'queues', call('ZCARD', K_QUEUES), placed)
end

local function one(name)
  local q, why = queue(name)
  if not q then return differs(name, 'key', 'hash', why) end
  if q.new then return differs(name, 'key', 'hash', 'no key m:' .. name) end
  local size, wrong = read('ZCARD', T .. 'q:' .. name)
  if not size then return differs(name, 'key', 'zset', wrong) end
  differs(name, 'pending', q.pending, size)
  differs(name, 'admitted', q.admitted, accounted(q))
  for place, key in pairs(PLACES) do
    differs(name, place, q.state == place and 'in it' or 'not in it', call('ZSCORE', key, name) and 'in it' or 'not in it')
  end
end

partition()
for _, name in ipairs(ARGV) do one(name) end
return reply
