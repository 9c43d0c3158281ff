-- @include told
-- @include lease
-- The last claim of each worker: repeated after a lost answer it is answered again, not leased anew.
-- @exports claim_again note_claimed
local function claim_again(worker, token) -- true if this very call was answered before
  local last, again = call('HGET', K_W, worker .. ' last') or '', false
  if sub(last, 1, #token + 1) ~= token .. ' ' then return false end
  for id in string.gmatch(last, ' (%d+)') do
    local l = lease_of(id)
    if l and l.token == token then
      again = true
      tell(id, l.queue, l.attempts, l.lost, hget(bucket('rec:', id), id) or '')
    end
  end
  return again
end

local function note_claimed(worker, token)
  if #told > 0 then call('HSET', K_W, worker .. ' last', token .. ' ' .. table.concat(told, ' ')) end
end
