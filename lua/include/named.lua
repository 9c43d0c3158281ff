-- @include queue
-- The queue that an operator names.
-- @exports named
local function named(name) -- or nil and the error reply
  local q, why = queue(name)
  if not q then return nil, redis.error_reply(why) end
  if q.new then return nil, redis.error_reply('BADARG no queue ' .. name) end
  return q
end
