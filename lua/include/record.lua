-- @include partition
-- Records stay opaque but for their head: bytes 4-11 the fingerprint, byte 12 the cost (design 1.2).
-- @exports record_key sound fingerprint_of cost_of attempts_of
local MAGIC = string.char(0x93, 0xc4, 8)

local function record_key(id) -- as bucket does, for ids of many buckets: to remember their keys would cost more
  return T .. 'rec:' .. digits(floor(id / PER_BUCKET))
end

local function sound(record) -- (an error reply is a table with err; of a string that is nil)
  return record and not record.err and sub(record, 1, 3) == MAGIC and (byte(record, 12) or 128) < 128
end

local function fingerprint_of(record)
  return sub(record, 4, 11)
end

local function cost_of(record)
  return byte(record, 12)
end

local function attempts_of(id) -- attempts, lost leases, last fetch status
  if (n.tried or 0) == 0 then return 0, 0, '-' end
  local tried, why = hget(bucket('try:', id), id)
  if tried == nil then return nil, why end
  if not tried then return 0, 0, '-' end
  local attempts, lost, status = string.match(tried, '(%d+) (%d+) (%S+)')
  return tonumber(attempts), tonumber(lost), status
end
