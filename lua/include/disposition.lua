-- @include outcome
-- Heritrix' table 5.1: what a fetch status means for the URI.  `attempts` counts the present one.
-- @general
-- @exports tried_again verdict_of retry_delay connection_failed
local DISREGARDED = '-4001 -4002 -5000 -5001 -5002 -6000 -9998'

local function tried_again(o, s)
  local status = o.status
  return status == -50 or status == -1 or status == -2 or status == -3 or o.robots_unreachable or (status == 0 and o.force_retire)
    or (status == 401 and o.credential) or listed(s.retry_statuses, status)
end

local function verdict_of(o, s, attempts)
  if tried_again(o, s) then return attempts < s.max_retries and 'retry' or 'failed' end
  if o.status > 0 then return 'succeeded' end
  return listed(DISREGARDED, o.status) and 'disregarded' or 'failed'
end

local function connection_failed(status)
  return status == -1 or status == -2 or status == -3
end

-- How long a retry waits: nothing for a deferral, a credential, a retirement; doubling in a run of connection failures of the host.
local function retry_delay(o, q, s)
  if o.robots_unreachable then return s.robots_retry_ms end
  if o.force_retire or not (connection_failed(o.status) or listed(s.retry_statuses, o.status)) then return 0 end
  local delay = s.retry_delay_seconds * 1000
  if q.fail_run >= s.failure_run_limit then delay = delay * 2 ^ min(q.fail_run - s.failure_run_limit + 1, 40) end
  return min(max(delay, o.retry_after or 0), max(s.slow_max_ms, s.retry_delay_seconds * 1000))
end
