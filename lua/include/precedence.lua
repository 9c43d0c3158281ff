-- @include queue
-- Queue precedence: weighed when a queue is made and each time it is re-enqueued (Heritrix 2.4, mended: items 1 and 2).
-- @general
-- @exports weighed
local function after_successes(base, successes) -- +1 for each increment reached; the last one repeats
  local increments = {}
  for number in string.gmatch(tostring(S.increment_counts), '%d+') do increments[#increments + 1] = tonumber(number) end
  local steps, left = 0, successes - (increments[1] or math.huge)
  while left >= 0 and steps < 255 do
    steps = steps + 1
    left = left - max(1, increments[min(steps + 1, #increments)])
  end
  return base + steps
end

local function best_uri(name) -- the best precedence over all directives: one look for each
  local best
  for directive = 0, 3 do
    local found = read('ZRANGE', T .. 'q:' .. name, text(-directive * P51), '(' .. text(-(directive + 1) * P51), 'BYSCORE', 'REV', 'LIMIT', 0, 1, 'WITHSCORES')
    if found and found[2] then best = min(best or 255, floor(-found[2] % P51 / P43)) end
  end
  return best or 0
end

local function weighed(q)
  local s = settings_of(q)
  local base = q.base >= 0 and q.base or s.base_precedence -- an operator's precedence goes before the settings'
  if s.queue_precedence_policy == 'success_counts' then
    base = after_successes(base, q.succeeded)
  elseif s.queue_precedence_policy == 'highest_uri' then
    base = base + best_uri(q.name)
  end
  return max(0, min(255, base))
end
