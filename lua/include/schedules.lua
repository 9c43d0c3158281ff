-- Recrawl schedules: interval and date of the next fetch (status-and-schedule 1.3, 1.8; the same sums as policy/schedules.py).
-- @inside recrawl
-- v: interval s, modified ms, retries, change, planned ms; each returns the date or nil, interval, time of change.
local LONGEST = 315360000 -- s: no interval is longer

local function half_up(x) return floor(x + 0.5) end

local function changed_at(v)
  return (v.modified <= 0 or v.change == 'changed') and now or v.modified
end

local function nutch_adaptive(v, s)
  local i, modified = v.interval, v.modified > 0 and v.modified or now
  if v.change == 'changed' then
    i, modified = i * (1 - s.adaptive_dec_rate), now
  elseif v.change == 'same' then
    i = i * (1 + s.adaptive_inc_rate)
  end
  local unchanged, offset, top = now - modified, 0, s.adaptive_max_interval_seconds * 1000
  if s.adaptive_sync_delta == 1 and unchanged > 0 then
    if unchanged > i * 1000 then i = floor(unchanged / 1000) end
    offset = half_up(unchanged * s.adaptive_sync_delta_rate)
    if offset > top then offset = half_up(offset / unchanged * top) end -- a proportional cut (Nutch' integer division gives 0)
  end
  i = min(max(i, s.adaptive_min_interval_seconds), s.adaptive_max_interval_seconds)
  return now - offset + half_up(i * 1000), half_up(i), modified
end

local function stormcrawler_adaptive(v, s)
  local i = s.fetch_interval_seconds -- nothing to compare: the default again
  if v.change == 'same' then
    i = floor(v.interval * (1 + s.adaptive_inc_rate))
    if i == v.interval and s.adaptive_inc_rate > 0 then i = i + 1 end -- whole numbers would never grow from 1
    i = min(i, s.adaptive_max_interval_seconds)
  elseif v.change == 'changed' then
    i = max(1, floor((1 - s.adaptive_dec_rate) * v.interval + s.adaptive_dec_rate * s.adaptive_min_interval_seconds))
  end
  return now + i * 1000, i, changed_at(v)
end

local function fixed_rate(v)
  local step, late = v.interval * 1000, now - v.planned
  if v.planned <= 0 or late < 0 then return now + step, v.interval, changed_at(v) end
  return v.planned + (floor(late / step) + 1) * step, v.interval, changed_at(v)
end

local SCHEDULES = {
  none = function(v) return nil, v.interval, v.modified > 0 and v.modified or now end,
  fixed = function(v) return now + v.interval * 1000, v.interval, changed_at(v) end,
  stormcrawler = function(v, s) return now + s.fetch_interval_seconds * 1000, s.fetch_interval_seconds, changed_at(v) end,
  fixed_rate = fixed_rate, nutch_adaptive = nutch_adaptive, stormcrawler_adaptive = stormcrawler_adaptive,
}
