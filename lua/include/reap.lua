-- @include pool
-- @include lost
-- Expired leases are taken back.
-- @exports reap expired
local expired = {} -- "id worker queue" of the leases that this call took back

local function reap()
  for _, id in ipairs(due_members(K_LEASE)) do expired[#expired + 1] = take_back(id) end
end
