-- @include partition
-- Limits of the crawl, exact in this partition (Heritrix' CrawlLimitEnforcer, all >=): the crawl stops and says why.
-- @exports running_ms set_run_state check_limits
local function running_ms() -- stands still while the crawl is paused
  return (n.elapsed_ms or 0) + ((n.run_since or 0) > 0 and now - n.run_since or 0)
end

local function reached()
  if S.max_documents_download > 0 and (n.succeeded or 0) >= S.max_documents_download then return 'max_documents_download' end
  if S.max_bytes_download > 0 and (n.bytes or 0) >= S.max_bytes_download then return 'max_bytes_download' end
  if S.max_time_seconds > 0 and running_ms() >= S.max_time_seconds * 1000 then return 'max_time_seconds' end
end

local function set_run_state(state, why)
  n.elapsed_ms, n_touched.elapsed_ms = running_ms(), true
  n.run_since, n_touched.run_since = state == 'RUN' and now or 0, true
  S.run_state = state
  call('HSET', K_CONF, 'run_state', state, 'finish_reason', why)
end

local function check_limits()
  local why = S.run_state == 'RUN' and reached()
  if why then set_run_state('FINISH', why) end
end
