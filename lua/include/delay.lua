-- @include queue
-- How long a host rests after a fetch (Heritrix 4).
-- @exports polite_delay
local function polite_delay(o, q, s) -- an override; or from the duration; or the default
  local d = o.delay
  if not d and o.duration then d = min(max(floor(s.delay_factor * o.duration), s.min_delay_ms), s.max_delay_ms) end
  if not o.delay then
    d = d or s.unset_delay_ms
    if o.crawl_delay then d = max(d, min(floor(1000 * o.crawl_delay), s.respect_crawl_delay_up_to_seconds * 1000)) end
  end
  local rate = s.max_per_host_bandwidth_usage_kb_sec
  if rate > 0 and not o.delay then -- as Heritrix does: one fetch late
    d = max(d, q.bandwidth_until - now)
    put(q, 'bandwidth_until', now + floor(o.size / (rate * 1.024)))
  end
  return floor(d)
end
