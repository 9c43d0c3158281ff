-- @include partition
-- Journal events for a follower that writes frontier.recover.gz; nothing is written while nobody follows (design 2).
-- @exports journal
local function journal(tag, id, record)
  if (n.followers or 0) == 0 or S.recovery_log_enabled ~= 1 then return end
  call('XADD', K_LOG, 'MAXLEN', '~', 1000000, '*', 't', tag, 'i', id, 'r', record or '')
end
