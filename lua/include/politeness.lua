-- @include delay
-- @include group
-- @include disposition
-- Politeness after a fetch (Heritrix 4), and the back-off of slow hosts (design 8).
-- @general
-- @exports rest note_failures
local function jitter(o, share) -- a factor around 1, the same for the same lease: scripts draw no random numbers
  local x = 0
  for i = 1, #o.token do x = (x * 31 + string.byte(o.token, i)) % 65521 end
  return 1 + share * (2 * ((x * 31 + o.id) % 1009) / 1008 - 1)
end

local function slow_delay(o, q, s) -- 0 for a host that answers well
  if not listed(s.slow_statuses, o.status) then
    if o.status > 0 and q.slow_run > 0 and now - q.slow_at >= s.slow_forgive_ms then put(q, 'slow_run', 0) end
    return 0
  end
  local run = (q.slow_run > 0 and now - q.slow_at >= s.slow_forgive_ms and 0 or q.slow_run) + 1
  put(q, 'slow_run', run)
  local wait = s.slow_base_ms * 2 ^ min(run - 1, 40) * jitter(o, S.slow_jitter)
  wait = floor(min(max(wait, o.retry_after or 0), s.slow_max_ms))
  put(q, 'slow_at', now + wait) -- quiet time counts from the end of the back-off
  return wait
end

local function rest(o, q, s) -- the host rests after a final outcome
  polite_until(q, now + max(polite_delay(o, q, s), slow_delay(o, q, s)))
end

local function note_failures(o, q) -- runs of connection failures, ended by any answer
  if connection_failed(o.status) then
    put(q, 'fail_run', q.fail_run + 1)
  elseif q.fail_run > 0 and o.status > 0 then
    put(q, 'fail_run', 0)
  end
end
