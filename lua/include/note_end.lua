-- @include index
-- @include record
-- How a URI ended, noted where the exact index had its id (design 4).
-- @exports note_end endable
local ENDED = { succeeded = '!s', failed = '!f', disregarded = '!d', excluded = '!x' }

local function endable(record) -- may the place be read where note_end writes?
  if S.uniqueness ~= 'exact' or not sound(record) then return true end
  local value, why = index_get(fingerprint_of(record))
  return value ~= nil, why
end

local function note_end(fp, id, verdict, gently) -- the record is dropped: only how it ended is kept
  if S.uniqueness ~= 'exact' or ((n.copies or 0) > 0 and index_get(fp) ~= id) then return true end
  return index_set(fp, ENDED[verdict], gently)
end
