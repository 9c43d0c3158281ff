-- @include partition
-- Whether admission is open: the run state and the soft memory limit, looked at once a call (design 7).
-- @exports refused_now
local function over_soft_limit()
  if S.soft_memory_percent >= 100 then return false end
  local info = redis.pcall('INFO', 'memory')
  if type(info) ~= 'string' then return false end
  local used, most = tonumber(string.match(info, 'used_memory:(%d+)')), tonumber(string.match(info, 'maxmemory:(%d+)'))
  return most > 0 and used * 100 >= most * S.soft_memory_percent
end

local function refused_now()
  if S.run_state == 'FINISH' then return redis.error_reply('STATE the crawl is stopped: it takes no more URIs') end
  if over_soft_limit() then return redis.error_reply('FULL used memory is over ' .. S.soft_memory_percent .. ' % of maxmemory') end
end
