-- @include partition
-- The last claim of each worker.
-- @exports last_claim note_claim
-- The ids of a worker's last claim: a claim repeated after a lost answer is answered again, not leased anew.
local function last_claim(worker, token)
  local last, ids = call('HGET', K_W, worker .. ' last') or '', {}
  if string.sub(last, 1, #token + 1) == token .. ' ' then
    for id in string.gmatch(last, ' (%d+)') do ids[#ids + 1] = id end
  end
  return ids
end

local function note_claim(worker, token, ids)
  call('HSET', K_W, worker .. ' last', token .. ' ' .. table.concat(ids, ' '))
end
