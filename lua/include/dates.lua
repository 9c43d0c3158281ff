-- @include pool
-- @include ready
-- @include dated
-- Dated URIs come back: refetches, and retries that wait by themselves.
-- @exports promote
local function promote()
  if (n.later or 0) <= 0 then return end
  local ids = due_members(K_LATER)
  if #ids > 0 and unsettled then unsettled() end -- any queue may be looked at
  for _, id in ipairs(ids) do return_dated(id) end
end
