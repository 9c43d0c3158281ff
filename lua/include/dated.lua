-- @include pool
-- @include admit
-- A dated URI whose time has come: back to its queue as an arrival; a refetch begins anew, a retry keeps its attempts; uniqueness is not asked.
-- @general
-- @exports return_dated
local function return_now(q, id, class, kind) -- a dated URI comes back to its queue
  zput(K_LATER, id, false)
  hput(K_LAT, id, false)
  count(q, 'later', -1)
  put(q, 'requeued', q.requeued + 1)
  arrive(q, id, tonumber(class))
  if kind == 'refetch' then waits_again(id) end
  journal('F+', id, (n.followers or 0) > 0 and hget(bucket('rec:', id), id))
end

local function return_dated(id)
  local name, class, kind = string.match(hget(K_LAT, id) or '', '^(%S+) (%d+) (%S+)$')
  local q, fine, why
  if name then q, why = queue(name) end
  if q then fine, why = readable(q, bucket('res:', id)) end
  if fine then
    return_now(q, id, class, kind)
  elseif name then
    zput(K_LATER, id, put_off(why))
  else
    zput(K_LATER, id, false)
    hput(K_LAT, id, false)
  end
end
