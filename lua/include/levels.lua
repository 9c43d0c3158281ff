-- @include partition
-- What the usual paths know of queues: those that were read as a whole in this call, their places in the list of queues, the scores in their zsets.
-- @exports queues negative new_level
local queues = {} -- name -> queue, in this call

-- A score as the zset of a queue has it, and back again: the other way round, since the place of an arrival (whose score is the greatest of its
-- like) is looked for from the beginning.  So the next URI of a queue is the last.
local function negative(score)
  return byte(score) == 45 and sub(score, 2) or '-' .. score
end

local levels = {} -- of this call, by number of pending URIs

local function magnitude(pending) -- floor(log2), -1 when empty
  local _, exponent = math.frexp(pending)
  levels[pending] = exponent - 1
  return exponent - 1
end

local function new_level(before, pending) -- its place in the list of queues, if that has changed; before: -1 of a new one
  if before == pending then return nil end
  local to = levels[pending] or magnitude(pending)
  return (before < 0 or to ~= (levels[before] or magnitude(before))) and text(to) or nil
end
