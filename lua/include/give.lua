-- @include visit
-- A queue gives what it may: in its turn, or when it is asked for by name.
-- @general
-- @exports give take_named
local function give(q, c) -- how many URIs of the queue were leased; nil if its keys cannot be read
  local s = settings_of(q)
  if elsewhere(q, s) then return 0 end
  local total, given = total_budget(q, s), 0
  local room = min(c.per_queue, s.max_in_flight - q.in_flight, c.room or c.per_queue)
  if total >= 0 then room = min(room, total - q.spent - q.in_flight) end -- what is out may spend the rest
  if room <= 0 then
    place(q, 'in_process')
    return 0
  end
  local found, why = read('ZRANGE', pending_key(q), '0', text(room - 1), 'REV', 'WITHSCORES')
  for i = 1, found and #found or 0, 2 do
    if q.prereq ~= '' and prerequisite_out(q) or q.group ~= '' and group_full(q) then break end
    local leased, wrong = lease(q, found[i], negative(found[i + 1]), c)
    if leased then given = given + 1 end
    why = why or wrong
  end
  if why then troubles[#troubles + 1] = why end
  if given == 0 and why then return nil end
  if c.room then c.room = c.room - given end
  reenqueue(q)
  return given
end

local function take_named(c, name) -- the same rules for a queue that is asked for
  local q, why = queue(name)
  if why then troubles[#troubles + 1] = why end
  if q and (q.state == 'ready' or (q.state == 'inactive' and q.precedence < S.precedence_floor)) then give(q, c) end
end
