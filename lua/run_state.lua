--[[
run_state - let a crawl run, pause or stop; its running time stands still while it is paused.

KEYS     the fixed keys (include/keys.lua)
ARGV  1  state    str  RUN, PAUSE or FINISH
      2  why      str  reason of a stop, or empty
      3  version  int  of the crawl's settings
RETURNS  version, run state, now
ERRORS   NOCRAWL  no such crawl
         SCHEMA   a crawl of another layout
WRITES   n conf
]]
-- @include limits
-- @include wake_up
-- @include save

local bad = open()
if bad then return bad end
set_run_state(ARGV[1], ARGV[2])
S.version = tonumber(ARGV[3])
call('HSET', K_CONF, 'version', ARGV[3])
if S.run_state == 'RUN' then call('PUBLISH', T .. 'wake', '0') end
save()
return head()
