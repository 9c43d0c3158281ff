-- @include wake_up
-- The head of inactive: is a better queue waiting there?
-- @exports inactive_changed better_waiting
local better_than -- precedence of the head of inactive, while known

local function inactive_changed()
  better_than = nil
end

local function better_waiting(q, precedence) -- is a strictly better queue at the head of inactive?  (`place` follows)
  if q.state == 'inactive' then -- its own old entry does not count
    zput(K_INACTIVE, q.name, false)
    better_than = nil
  end
  better_than = better_than or floor((first(K_INACTIVE) or 256 * P43) / P43)
  return better_than < precedence
end
