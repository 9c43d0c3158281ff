-- @include record
-- @include recrawl
-- What stays of a URI that is kept, or fetched again, after its final outcome; returns when it is fetched again, or nil.
-- @general
-- @exports result
-- res: "status fetch_status fetched modified interval retries signature next", 0 or - where there is none
local function read_result(id)
  local old = hget(bucket('res:', id), id) or ''
  local modified, interval, retries, signature, again = string.match(old, '^%S+ %S+ %S+ (%d+) (%d+) (%d+) (%S+) (%d+)')
  return { known = modified ~= nil, modified = tonumber(modified or 0), interval = tonumber(interval or 0), retries = tonumber(retries or 0),
    signature = signature or '-', again = tonumber(again or 0) }
end

local function next_result(old, o, s, verdict)
  local kind = fetch_kind(o.status, verdict)
  local told = (o.modified or 0) > 0 and o.modified
  local redirect = kind == 'redir_perm' or kind == 'redir_temp' -- no page, so the old page's time of change says nothing of it
  local r = { interval = old.interval > 0 and min(old.interval, LONGEST) or s.fetch_interval_seconds,
    modified = told or (redirect and 0 or old.modified), retries = old.retries, signature = old.known and old.signature or o.digest or '-' }
  if kind == 'gone' or kind == 'retry' then failed(r, s, kind) else visited(r, s, kind, old, o.digest) end
  if r.again then r.again = min(r.again, now + LONGEST * 1000) end
  return r
end

local function write_result(id, o, r)
  local parts = { r.status, o.status, text(now), text(r.modified), text(r.interval), r.retries, r.signature, text(r.again or 0) }
  hput(bucket('res:', id), id, table.concat(parts, ' '))
end

local function result(l, o, s, verdict)
  local again = o.refetch and now + o.refetch
  if S.retention == 'keep' then
    local r = next_result(read_result(l.id), o, s, verdict)
    r.again = again or r.again
    again = r.again
    write_result(l.id, o, r)
  end
  if o.record ~= '' then hput(bucket('rec:', l.id), l.id, o.record) end
  return again
end
