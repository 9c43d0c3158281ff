--[[
stats - what stands where, in a bounded number of reads whatever the size of the crawl.

KEYS     the fixed keys (include/keys.lua)
RETURNS  version, run state, now, then names and numbers in turn: counters, sizes of the places, heads
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
WRITES   nothing
]]
-- @include wake_up
-- @include limits

local bad = open()
if bad then return bad end
local reply = head()

local function tell(name, value)
  reply[#reply + 1] = name
  reply[#reply + 1] = type(value) == 'number' and text(value) or value
end

for name, value in pairs(n) do tell(name, value) end
for name, key in pairs({ due = K_DUE, ready = K_READY, inactive = K_INACTIVE, retired = K_RETIRED, all = K_QUEUES }) do
  tell('queues_' .. name, call('ZCARD', key))
end
tell('queues_ineligible', call('ZCOUNT', K_INACTIVE, text(S.precedence_floor * P43), '+inf'))
tell('expired', call('ZCOUNT', K_LEASE, '-inf', text(now)))
tell('next_due', first(K_DUE) or -1)
tell('next_later', first(K_LATER) or -1)
tell('next_lease', first(K_LEASE) or -1)
tell('running_ms', running_ms())
tell('finish_reason', S.finish_reason or '')
return reply
