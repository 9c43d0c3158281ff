-- @include schedules
-- The status a kept URI ends with, and when it is fetched again: Nutch' merge table (NUTCH-416, status-and-schedule 1.2).
-- @inside result
local DB = { success = 2, gone = 3, redir_temp = 4, redir_perm = 5, notmodified = 6 }

local function fetch_kind(status, verdict) -- Heritrix' number -> what the fetch was; 1, 1001, 2001, 2002: dns and whois answered
  if verdict ~= 'succeeded' then return 'gone' end
  if (status >= 200 and status < 300) or listed('1 1001 2001 2002', status) then return 'success' end
  if status == 304 then return 'notmodified' end
  if status == 301 or status == 308 then return 'redir_perm' end
  if status >= 300 and status < 400 then return 'redir_temp' end
  return status >= 400 and status < 500 and 'gone' or 'retry' -- (Nutch too retries what it does not know)
end

local function change_of(kind, old, digest) -- redirects are never compared by signature
  if kind == 'notmodified' then return 'same' end
  if kind ~= 'success' or not digest or old.signature == '-' then return 'unknown' end
  return digest == old.signature and 'same' or 'changed'
end

local function gone(r, s) -- the interval grows by half, or is 0.9 of the maximum if it would reach that
  local top = s.max_fetch_interval_seconds
  r.status = DB.gone
  if s.recrawl_schedule == 'none' then return end
  r.interval = r.interval * 1.5 < top and half_up(r.interval * 1.5) or max(1, half_up(0.9 * top))
  r.again = now + r.interval * 1000
end

local function erred(r, s, kind) -- StormCrawler: a 404 is an error like any other; after the last one it is left alone
  r.retries, r.signature, r.modified, r.interval = r.retries + 1, '-', 0, s.fetch_interval_seconds
  r.status = kind == 'retry' and r.retries < s.max_fetch_errors and 1 or DB.gone
  r.again = r.retries < s.max_fetch_errors and now + s.fetch_error_interval_seconds * 1000 or nil
end

local function failed(r, s, kind) -- gone, or to be retried while the count allows
  if string.sub(s.recrawl_schedule, 1, 12) == 'stormcrawler' then return erred(r, s, kind) end
  if kind == 'gone' then return gone(r, s) end
  r.retries, r.status, r.again = r.retries + 1, 1, s.recrawl_schedule ~= 'none' and now + 86400000 or nil
  if r.retries >= s.db_fetch_retry_max then gone(r, s) end
end

local function visited(r, s, kind, old, digest) -- a page, a redirect, a 304
  local change, modified = change_of(kind, old, digest), r.modified
  r.again, r.interval, r.modified = SCHEDULES[s.recrawl_schedule]({ interval = r.interval, modified = modified, change = change, planned = old.again }, s)
  r.interval, r.retries = min(r.interval, LONGEST), 0
  if r.again and r.again <= now then r.again = now + s.adaptive_min_interval_seconds * 1000 end -- never in the past (NUTCH-1564)
  if change == 'same' then r.modified = old.modified end
  r.status = change == 'same' and DB.notmodified or DB[kind]
  if change ~= 'same' or not old.known then r.signature = digest or '-' end
  if r.again and r.interval > s.max_fetch_interval_seconds then -- as if it had never been fetched
    r.status, r.interval, r.signature, r.modified = 1, max(1, half_up(0.9 * s.max_fetch_interval_seconds)), '-', 0
  end
end
