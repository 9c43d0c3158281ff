-- @include admit
-- A prerequisite goes into the queue of the URI that needs it, before all else there; an equal one is moved up, not doubled (design 3).
-- @general
-- @exports prerequisite
local function equal_one(q, fp) -- id of an equal URI that waits or is out in this queue
  local index = S.uniqueness == 'exact' and index_get(fp)
  for _, id in ipairs({ q.prereq, index or '' }) do
    if id ~= '' and string.sub(id, 1, 1) ~= '!' then
      local record = hget(bucket('rec:', id), id)
      local here = call('ZSCORE', pending_key(q), id) or string.find(hget(K_OWN, id) or '', ' ' .. q.name .. ' ', 1, true)
      if record and here and fingerprint_of(record) == string.sub(fp, 1, 8) then return id end
    end
  end
end

local function ahead(class, l) -- better by a directive than the place of the URI that needs it, wherever that was moved to
  return min(floor(class / 256), max(0, floor(l.score / P51) - 1)) * 256 + class % 256
end

local function prerequisite(q, l, p) -- p: class, fp, record
  p.class = ahead(p.class, l)
  local old = equal_one(q, p.fp)
  if old then
    move_up(q, old, p.class)
    return put(q, 'prereq', old)
  end
  local other = S.uniqueness == 'exact' and index_get(p.fp)
  if other and string.sub(other, 1, 1) ~= '!' then bump('copies', 1) end -- two live in two queues: the index has the newer
  local id = admit(q, p.fp, p.class, p.record)
  put(q, 'prereq', id)
  if tonumber(l.score) < P51 then -- nothing is better than directive 0: to the very front, behind those that came there before
    call('ZADD', pending_key(q), string.format('%.17g', -n.ordinal / P51), id)
  end
end
