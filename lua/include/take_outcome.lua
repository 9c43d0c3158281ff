-- @include settle
-- @include outcome
-- @include disposition
-- @include uniqueness
-- @include note_end
-- An outcome of any kind: all keys that it may write are looked at first, then it takes effect.
-- @general
-- @exports take_outcome
local function prerequisite_of(o) -- in place of a new record
  if not (o.class and o.fp) then return end
  local fp = string.gsub(o.fp, '%x%x', function(h) return string.char(tonumber(h, 16)) end)
  o.prerequisite, o.record = { class = tonumber(o.class), fp = fp, record = o.record }, ''
end

local function writable(q, l, o) -- are all keys of their types that this may write, beside those just read?
  local fine, why = readable(q, bucket('rec:', (n.id or 0) + 1))
  if fine then fine, why = known_type('HLEN', bucket('try:', l.id)) end
  if fine and S.retention == 'keep' then fine, why = known_type('HLEN', bucket('res:', l.id)) end
  if fine and o.prerequisite then
    local known
    known, why = seen(o.prerequisite.fp)
    fine = known ~= nil
  end
  return fine, why
end

local function take_outcome(i) -- the answer; i: place of its first argument
  local o = outcome(ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4], ARGV[i + 5], ARGV[i + 6])
  local l = lease_of(o.id)
  if not l then return 'GONE' end
  if l.token ~= o.token then return 'STALE' end
  local why = refused(o)
  if why then return '!' .. why end
  prerequisite_of(o)
  local q, record, bad
  q, bad = queue(l.queue)
  if not q then return '!' .. bad end
  record, bad = hget(bucket('rec:', l.id), l.id)
  if record == nil then return '!' .. bad end
  local fine, wrong
  if S.retention == 'keep' or tried_again(o, settings_of(q)) then
    fine, wrong = writable(q, l, o)
  else -- a final one writes nothing else of its queue
    fine, wrong = endable(record)
  end
  if not fine then return '!' .. wrong end
  return '+' .. settle(l, q, o, record)
end
