-- @include partition
-- The records of new URIs: ids count up, so they fill bucket after bucket, and each is written once a call.
-- @exports room_for keep_record write_records
local records -- the key of the bucket that fills
local first, kept, size = -1, {}, 0 -- its first id; ids and records that it gets in this call

local function write_records()
  if size > 0 then call('HSET', records, unpack(kept, 1, size)) end
  size = 0
end

local function keep_record(id, record) -- after room_for its number
  kept[size + 1], kept[size + 2], size = id, record, size + 2
end

local function room_for(number) -- may its record be written?
  local from = number - number % PER_BUCKET
  if from == first then return true end
  write_records()
  records = bucket('rec:', number)
  first = known_type('HLEN', records) and from or -1
  return first == from
end
