-- @include admit
-- @include again
-- A new URI of any kind, or a known one by force: all keys that it may write are looked at first, then it is admitted.
-- @general
-- @exports any_arrival
local function over_quota(tag)
  local most = S.max_documents_per_source_tag
  return most >= 0 and tag ~= '-' and tonumber(call('HGET', T .. 'tags', tag) or 0) >= most
end

local function any_arrival(known, name, class, fp, record, sheet, group_name, tag) -- the answer
  local answer = known and again(known, name, class)
  if answer then return answer end
  if over_quota(tag) then return '!quota of its source tag reached' end
  local q, why = queue(name)
  local fine = q and true
  if q then fine, why = readable(q, bucket('rec:', (n.id or 0) + 1)) end
  if fine then fine, why = bound(sheet, group_name) end
  if not fine then return '!' .. why end
  begin(q, sheet, group_name)
  return (known and '*' or '+') .. admit(q, fp, class, record)
end
