--[[
forget - let URIs be found again, whether or not they are known; pending and leased ones stay (delete is for those).

KEYS     the fixed keys (include/keys.lua)
ARGV  1  fp  18 B  of each URI, any number
RETURNS  version, run state, now, then one text a URI: forgotten, unknown, pending, leased, dated or !REASON
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
WRITES   n ix unseen rec res
]]
-- @include uniqueness
-- @include save

local function one(fp)
  local known, why = seen(fp)
  if known == nil then return '!' .. why end
  if not known then return 'unknown' end
  local answer = known == true and '=finished' or known_as(known)
  if answer ~= '=finished' then return string.gsub(answer, '^=', '') end
  if type(known) == 'string' and string.sub(known, 1, 1) ~= '!' then
    local fine, wrong = known_type('HLEN', bucket('rec:', known))
    if not fine then return '!' .. wrong end
    hput(bucket('rec:', known), known, false)
    hput(bucket('res:', known), known, false)
  end
  forget(fp)
  return 'forgotten'
end

local bad = open()
if bad then return bad end
local reply = head()
for _, fp in ipairs(ARGV) do reply[#reply + 1] = one(fp) end
save()
return reply
