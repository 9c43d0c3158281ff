--[[
include - note URIs that an earlier crawl has fetched: known from now on as finished, their cost charged to their queues.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  queue     str   first of six arguments for each URI
      2  group     str   queue group, or empty
      3  sheet     int   number of the sheet combination, 0 none
      4  cost      int   what the fetch cost
      5  fp        18 B  fingerprint
      6  record    bytes for the journal
RETURNS  version, run state, now, then one text a URI: included, =HOW known already (its queue is charged all the same), !REASON refused
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
         STATE    the crawl is stopped
         FULL     Redis is at its soft memory limit
WRITES   n m ix seen unseen bf queues g log
]]
-- @include admit
-- @include save
-- @include memory

local function one(name, group_name, sheet, cost, fp, record)
  local known, why = seen(fp)
  if known == nil then return '!' .. why end
  local q, bad = queue(name)
  if not q then return '!' .. bad end
  local answer, fine, wrong = known and known_as(known), bound(sheet, group_name)
  if not fine then return '!' .. wrong end
  if answer and string.sub(answer, 1, 1) == '!' then return answer end
  begin(q, sheet, group_name)
  put(q, 'spent', q.spent + cost)
  if answer then return answer end
  remember(fp, '!s')
  journal('Fi', 0, record)
  return 'included'
end

local bad = open() or refused_now()
if bad then return bad end
local reply = head()
for i = 1, #ARGV, 6 do
  reply[#reply + 1] = one(ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2]), tonumber(ARGV[i + 3]), ARGV[i + 4], ARGV[i + 5])
end
if S.uniqueness == 'bitfield' then prepare_next() end
save()
return reply
