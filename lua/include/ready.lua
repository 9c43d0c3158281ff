-- @include levels
-- @include queue
-- Queues that become ready in a call: most have their turn in the same call, so Redis hears only of those that stay.
-- @exports READY settle_ready next_ready whole unsettled
local fresh, scores, first_fresh = {}, {}, 1 -- in the order of their turns, after all that are in Redis
local unsettled = false -- `settle_ready` as soon as it has something to do

local function whole(turn) -- as a queue like any other, if only a part of it was read so far (include/usual_turn.lua)
  if turn.was then return turn end
  local q = queue(turn.name)
  q.state, q.ready_at, turn.ready_at = 'ready', turn.ready_at, nil
  fresh[turn.at] = q
  return q
end

local function stay(turn) -- one of which only a part was read so far
  local v = turn.read
  call('HSET', v[1], 'state', 'ready')
  if (v[3] or '0') == '0' then
    bump('empty_due', -1)
    bump('empty_ready', 1)
  end
  zput(K_READY, turn.name, digits(turn.ready_at))
  turn.ready_at = nil
end

local function settle_ready() -- before Redis is asked how many are ready, before queues are looked at for something else, and at the end
  for i = 1, #fresh do
    local q = fresh[i]
    if q.ready_at == scores[i] and q.was then
      zput(K_READY, q.name, digits(q.ready_at))
      q.ready_at, q.listed = nil, true
    elseif q.ready_at == scores[i] then
      stay(q)
    end
  end
  first_fresh = #fresh + 1
end

local function get_ready(q, rotation)
  if q.listed or (q.was and q.was[1] == 'ready') then -- Redis has it, it goes behind all the others
    settle_ready()
    zput(K_READY, q.name, digits(rotation))
  else
    local at = #fresh + 1
    unsettled = settle_ready
    q.ready_at, q.at, fresh[at], scores[at] = rotation, at, q, rotation
  end
end

local function unready(q)
  if q.ready_at then
    q.ready_at = nil
  else
    zput(K_READY, q.name, false)
    if q.listed then q.listed = false end
  end
end

local function next_ready(limit) -- the next of them, each told once
  local turns = {}
  while first_fresh <= #fresh and #turns < limit do
    local q = fresh[first_fresh]
    if q.ready_at == scores[first_fresh] then turns[#turns + 1] = q end
    first_fresh = first_fresh + 1
  end
  return turns
end

local READY = { enter = get_ready, leave = unready } -- for `place`
