--[[
extend - keep leases longer, while their URIs are being fetched.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  lease_ms  ms   from now on; 0: the setting
      2  id        int  first of two arguments for each URI
      3  token     str  of the claim
RETURNS  version, run state, now, then one text a URI: +EXPIRY ms, GONE or STALE
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
WRITES   n lease
]]
-- @include lease
-- @include save

local bad = open()
if bad then return bad end
local reply, lasts = head(), tonumber(ARGV[1])
if lasts == 0 then lasts = S.lease_ms end
for i = 2, #ARGV, 2 do
  local l = lease_of(ARGV[i])
  if not l or l.deleted then
    reply[#reply + 1] = 'GONE'
  elseif l.token ~= ARGV[i + 1] then
    reply[#reply + 1] = 'STALE'
  else
    local expiry = max(now + lasts, tonumber(zget(K_LEASE, l.id) or 0))
    zput(K_LEASE, l.id, text(expiry))
    reply[#reply + 1] = '+' .. text(expiry)
  end
end
save()
return reply
