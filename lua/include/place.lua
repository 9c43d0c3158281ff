-- @include group
-- @include precedence
-- @include inactive
-- The places of a queue: exactly one of due, ready, inactive, retired; or none of them: exhausted, in process (design 8).
-- @general
-- @exports place prerequisite_out park
local ZSETS = { due = K_DUE, ready = K_READY, inactive = K_INACTIVE, retired = K_RETIRED }
local function place(q, state)
  local from, to = ZSETS[q.state], ZSETS[state]
  if from == K_READY and from ~= to then READY.leave(q) elseif from and from ~= to then zput(from, q.name, false) end
  if from == K_INACTIVE or to == K_INACTIVE then inactive_changed() end
  if to then
    bump('rotation', 1)
    local at
    if state == 'due' then
      at = text(waits_until(q))
      note_due(waits_until(q))
    elseif state == 'inactive' then
      at = digits(q.precedence * P43 + n.rotation)
    elseif state == 'retired' then
      at = digits(n.rotation)
    end
    if state == 'ready' or (state == 'inactive' and q.precedence < S.precedence_floor) then note_claimable() end
    if state == 'ready' then READY.enter(q, n.rotation) else zput(to, q.name, at) end
  end
  if q.state ~= state then put(q, 'state', state) end
  if q.active == 1 and (state == 'exhausted' or state == 'inactive' or state == 'retired') then put(q, 'active', 0) end
end

local function prerequisite_out(q)
  return q.prereq ~= '' and zget(K_LEASE, q.prereq) and true
end

local function park(q) -- a member of a full or resting group waits for its turn, in no zset of the partition
  bump('rotation', 1)
  call('ZADD', T .. 'gw:' .. q.group, n.rotation, q.name)
  place(q, 'in_process')
end
