-- @include queue
-- Queues that become ready in a call: most have their turn in the same call, so Redis hears only of those that stay.
-- @exports enter_ready leave_ready settle_ready next_ready
local fresh, scores, first_fresh = {}, {}, 1 -- in the order of their turns, after all that are in Redis

local function settle_ready() -- before Redis is asked how many are ready, and at the end
  for i = 1, #fresh do
    local q = fresh[i]
    if q.ready_at == scores[i] then
      zput(K_READY, q.name, q.ready_at)
      q.ready_at = nil
    end
  end
  first_fresh = #fresh + 1
end

local function enter_ready(q, at)
  if q.was[1] == 'ready' then -- Redis has it, it goes behind all the others
    settle_ready()
    zput(K_READY, q.name, at)
  else
    q.ready_at = at
    fresh[#fresh + 1], scores[#fresh + 1] = q, at
  end
end

local function leave_ready(q)
  if q.ready_at then q.ready_at = nil else zput(K_READY, q.name, false) end
end

local function next_ready(limit) -- names of the next of them, each told once
  local names = {}
  while first_fresh <= #fresh and #names < limit do
    local q = fresh[first_fresh]
    if q.ready_at == scores[first_fresh] then names[#names + 1] = q.name end
    first_fresh = first_fresh + 1
  end
  return names
end
