-- @include place
-- @include uniqueness
-- @include journal
-- A URI enters its queue: newly admitted, back from `later`, relocated, or as a prerequisite.
-- @general
-- @exports arrive begin readable admit move_up
local function arrive(q, id, class) -- class: directive * 256 + precedence; first in, first out inside it
  bump('ordinal', 1)
  local before = q.precedence
  call('ZADD', pending_key(q), digits(-class * P43 - n.ordinal), id)
  count(q, 'pending', 1)
  if settings_of(q).queue_precedence_policy == 'highest_uri' then
    local precedence = weighed(q)
    if precedence < before or q.state ~= 'inactive' then put(q, 'precedence', precedence) end -- inactive: as it is filed
  end
  if q.state == 'exhausted' then
    place(q, waits_until(q) > now and 'due' or 'inactive')
  elseif q.state == 'inactive' and q.precedence < before then
    place(q, 'inactive')
  end
end

local function begin(q, sheet, group_name) -- a queue that was just made, or whose sheet has changed
  if sheet ~= q.sheet then put(q, 'sheet', sheet) end
  if q.new and not q.begun then
    q.begun = true
    put(q, 'precedence', weighed(q))
  end
  if group_name ~= '' and group_name ~= '-' and q.group == '' then join(q, group_name) end
end

local function readable(q, record_bucket) -- both keys of their type? (no write so far)
  local fine, why = known_type('ZCARD', pending_key(q))
  if fine then fine, why = known_type('HLEN', record_bucket) end
  return fine, why
end

local function admit(q, fp, class, record)
  bump('id', 1)
  local id = digits(n.id)
  remember(fp, id)
  hput(bucket('rec:', n.id), id, record)
  count(q, 'admitted', 1)
  arrive(q, id, class)
  journal('F+', id, record)
  return id
end

local function move_up(q, id, class) -- a forced one that waits: to its new place, if that is better
  local stored = call('ZSCORE', pending_key(q), id)
  local at = stored and -stored
  local better = at and class * P43 + at % P43
  if better and better < at then call('ZADD', pending_key(q), digits(-better), id) end
  return at
end
