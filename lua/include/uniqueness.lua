-- @include index
-- @include bitfield_write
-- @include note_end
-- Have we met this URI? One interface over the exact index, the bitfield filter and RedisBloom.
-- @exports how_known known_as waits_again seen remember forget
local WAITS = ' w'

local function forgotten(fp) -- an exception to a Bloom filter
  return (n.unseen or 0) > 0 and call('SISMEMBER', K_UNSEEN, sub(fp, 1, 8)) == 1
end

local function how_known(value) -- what the index says of a known URI; nil and why on a foreign key
  if sub(value, 1, 1) == '!' then return 'finished' end
  if (n.in_flight or 0) > 0 and hget(K_OWN, value) then return 'leased' end
  if (n.later or 0) > 0 and hget(K_LAT, value) then return 'dated' end
  if S.retention ~= 'keep' then return 'pending' end
  local result, why = hget(bucket('res:', value), value)
  if result == nil then return nil, why end
  return result and sub(result, -2) ~= WAITS and 'finished' or 'pending'
end

local function known_as(known) -- the answer for a known one: =HOW, or !REASON
  if known == true then return '=maybe_seen' end
  local how, why = how_known(known)
  return how and '=' .. how or '!' .. why
end

local function waits_again(id) -- a kept URI is pending anew, wherever it may be moved to; its next result replaces the mark
  local result = S.retention == 'keep' and hget(bucket('res:', id), id)
  if result then hput(bucket('res:', id), id, result .. WAITS) end
end

local function seen(fp) -- the index's value, true for a filter's maybe, false for new; nil and why on a foreign key
  if S.uniqueness == 'exact' then return index_get(fp) end
  local maybe, why
  if S.uniqueness == 'bitfield' then
    maybe, why = bitfield_seen(fp)
  else
    maybe, why = read('BF.EXISTS', K_BF, fp)
    maybe = maybe and maybe ~= 0
  end
  if maybe then return not forgotten(fp) end
  return maybe, why
end

local function remember(fp, id)
  if S.uniqueness == 'exact' then return index_set(fp, id) end
  if forgotten(fp) then bump('unseen', -call('SREM', K_UNSEEN, sub(fp, 1, 8))) end
  if S.uniqueness == 'bitfield' then bitfield_add(fp) else call('BF.ADD', K_BF, fp) end
end

local function forget(fp) -- it can be found again
  if S.uniqueness == 'exact' then
    index_forget(fp)
  else
    bump('unseen', call('SADD', K_UNSEEN, sub(fp, 1, 8)))
  end
end
