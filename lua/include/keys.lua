-- The fixed keys of a partition, in the order in which every op gets them (store/keys.py), and the builders of its dynamic keys.
local K_N, K_CONF, K_QUEUES, K_DUE, K_READY, K_INACTIVE, K_RETIRED = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]
local K_LEASE, K_OWN, K_LATER, K_LAT, K_W, K_UNSEEN, K_LOG, K_BF = KEYS[8], KEYS[9], KEYS[10], KEYS[11], KEYS[12], KEYS[13], KEYS[14], KEYS[15]
local T = string.sub(K_N, 1, -2) -- "rf:{crawl:partition}:"
local call, try, floor, max, min = redis.call, redis.pcall, math.floor, math.max, math.min
local byte, format, sub = string.byte, string.format, string.sub
local P43, P51 = 2 ^ 43, 2 ^ 51
-- @constants
local PER_BUCKET = 32 -- records of one bucket: it fills alone, and is searched from its beginning

-- Numbers become text by %d only: what Lua and Redis do by themselves (%.14g, %.17g) costs four times as much, and digits beyond 2^47.
local function digits(x)
  return format('%d', x)
end

local TEXTS, BUCKETS = {}, { ['rec:'] = {}, ['try:'] = {}, ['res:'] = {} } -- of this call: the same few are wanted again and again

local function text(x) -- as digits, for numbers that come up more than once
  local s = TEXTS[x]
  if not s then
    s = digits(x)
    TEXTS[x] = s
  end
  return s
end

local function bucket(kind, id) -- the key of rec, try or res of one id
  local known, number = BUCKETS[kind], floor(id / PER_BUCKET)
  local key = known[number]
  if not key then
    key = T .. kind .. digits(number)
    known[number] = key
  end
  return key
end

-- A read that doubles as the type check of a dynamic key: nothing of an item is written before all its keys answered.
local function read(command, key, ...)
  local answer = try(command, key, ...)
  if type(answer) == 'table' and answer.err then
    if string.find(answer.err, 'WRONGTYPE', 1, true) then
      return nil, 'WRONGKEY key ' .. key .. ' is ' .. call('TYPE', key).ok .. ', not what ' .. command .. ' wants'
    end
    return nil, answer.err
  end
  return answer
end
