-- @include admit
-- @general
-- @exports again
-- A known URI by force: a waiting one may move up, a finished one that is kept comes back: same id, attempts anew, admitted anew.
local function revive(q, id, class)
  local fine, why = readable(q, bucket('rec:', id)) -- (that of its result has just been read)
  if not fine then return '!' .. why end
  count(q, 'admitted', 1)
  arrive(q, id, class)
  waits_again(id)
  journal('F+', id, hget(bucket('rec:', id), id))
  return '*' .. id
end

local function again(known, name, class) -- forced: not doubled (item 6)
  if known == true then return nil end
  local how, wrong = how_known(known)
  if not how then return '!' .. wrong end
  if (how == 'finished' and string.sub(known, 1, 1) == '!') then return nil end
  local q, why = queue(name)
  if not q then return '!' .. why end
  if how == 'finished' then return revive(q, known, class) end
  if how == 'pending' then move_up(q, known, class) end
  return '=' .. how
end
