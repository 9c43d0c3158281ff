-- @include admit
-- A prerequisite goes into the queue of the URI that needs it, before all else there; an equal one is moved up, not doubled (design 3).
-- @exports prerequisite
local function equal_one(q, fp) -- id of an equal URI that waits or is out in this queue
  local index = S.uniqueness == 'exact' and index_get(fp)
  for _, id in ipairs({ q.prereq, index or '' }) do
    if id ~= '' and string.sub(id, 1, 1) ~= '!' then
      local record = hget(bucket('rec:', id), id)
      local here = call('ZSCORE', T .. 'q:' .. q.name, id) or string.find(hget(K_OWN, id) or '', ' ' .. q.name .. ' ', 1, true)
      if record and here and fingerprint_of(record) == string.sub(fp, 1, 8) then return id end
    end
  end
end

local function prerequisite(q, l, p) -- p: class, fp, record
  local old = equal_one(q, p.fp)
  if old then
    move_up(q, old, p.class)
    return put(q, 'prereq', old)
  end
  local id = admit(q, p.fp, p.class, p.record)
  put(q, 'prereq', id)
  if tonumber(l.score) < P51 then call('ZADD', T .. 'q:' .. q.name, 0, id) end -- nothing is better than directive 0: to the very front
end
