-- @include partition
-- The fields of a queue's hash m:<queue>: a closed list.  The hot ones are read of every queue, the others only of one that has more than
-- those: its `usual` is then `-`.
-- @general
-- @exports HOT AT_ONCE_THERE COLD TEXTUAL
local HOT = { 'state', 'usual', 'pending', 'spent', 'not_before', 'admitted', 'in_flight', 'succeeded', 'bytes', 'precedence', 'active',
  'session_start' } -- numbers, 0 when absent, but for the first two
local AT_ONCE_THERE = 9 -- so many of them are written when a queue is made: read most often, they stand first, where they are found soonest
local COLD = { -- with what an absent one means
  base = -1, sheet = 0, group = '', budget = -2, requeued = 0, ghosts = 0, later = 0, failed = 0, disregarded = 0, excluded = 0,
  deleted = 0, snoozed_until = 0, bandwidth_until = 0, prereq = '', slow_run = 0, slow_at = 0, fail_run = 0, robots_run = 0,
  retired_why = '', retired_at = 0, last_error = 0, lost = 0,
}
local TEXTUAL = { state = true, group = true, prereq = true, retired_why = true }
