-- @include admit
-- @late
-- @exports revive
-- A finished record that is kept comes back at once, by force: same id, attempts anew, counted as admitted anew.
local function revive(q, id, class)
  local fine, why = readable(q, bucket('rec:', id)) -- (that of its result has just been read)
  if not fine then return '!' .. why end
  count(q, 'admitted', 1)
  arrive(q, id, class)
  waits_again(id)
  journal('F+', id, hget(bucket('rec:', id), id))
  return '*' .. id
end
