-- @include ready
-- Tells sleeping workers, once a call at most: work can be claimed now that could not before, or something is due earlier.
-- @exports note_claimable note_due first wake_workers
local was_idle, placed_now, earliest = nil, false, math.huge

local function claimable() -- the head of ready, or of inactive below the floor
  if unsettled then unsettled() end
  flush(K_READY)
  flush(K_INACTIVE)
  return call('ZCARD', K_READY) > 0 or call('ZCOUNT', K_INACTIVE, '-inf', '(' .. text(S.precedence_floor * P43)) > 0
end

local function note_claimable() -- before a queue is put where it can be claimed
  if was_idle == nil then was_idle = not claimable() end
  placed_now = true
end

local function note_due(t)
  earliest = min(earliest, t)
end

local function first(key) -- score of the head, or nil
  flush(key)
  return tonumber(call('ZRANGE', key, 0, 0, 'WITHSCORES')[2])
end

local function wake_workers()
  if S.run_state ~= 'RUN' then return end
  if placed_now and was_idle then
    if claimable() then call('PUBLISH', T .. 'wake', '0') end
  elseif earliest < math.huge and (first(K_DUE) == earliest or first(K_LATER) == earliest) then
    call('PUBLISH', T .. 'wake', text(earliest))
  end
end
