-- @include sane
-- @include record
-- A raw outcome, read with care: what makes no sense counts as not told (no NaN, no infinity, nothing below zero).
-- @general
-- @exports outcome refused
-- extras: "name=value;name=value"; flags r (force retire), c (credential attached), u (robots unreachable)
local function read_extras(o, extras)
  for name, value in string.gmatch(extras, '([%w_]+)=([^;]*)') do o[name] = value end
  o.delay, o.crawl_delay = sane(o.delay, S.slow_max_ms), sane(o.crawl_delay, 86400)
  o.retry_after, o.refetch, o.modified = sane(o.retry_after, S.slow_max_ms), sane(o.refetch, 315360000000), sane(o.modified, now)
  if o.digest and not string.match(o.digest, '^%S+$') then o.digest = nil end
  o.force_retire = string.find(o.flags, 'r', 1, true) and 'forced' or nil
  o.credential = string.find(o.flags, 'c', 1, true) ~= nil
  o.robots_unreachable = string.find(o.flags, 'u', 1, true) ~= nil
end

local function outcome(id, token, status, duration, size, extras, record)
  local o = { id = id, token = token, status = tonumber(status), record = record, flags = '', duration = nil, size = 0 }
  if extras ~= '' then
    read_extras(o, extras)
    o.id, o.token, o.status, o.record, o.size = id, token, tonumber(status), record, 0
  end
  if duration ~= '' then o.duration = sane(duration, 86400000) end
  if size ~= '' then o.size = sane(size, P51) or 0 end
  return o
end

local function refused(o) -- why an outcome cannot be taken
  local s = o.status
  if not s or s ~= s or s ~= floor(s) or s < -9999 or s > 9999 then return 'unknown fetch status' end
  if o.record ~= '' and not sound(o.record) then return 'not a record' end
end
