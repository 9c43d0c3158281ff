-- @include pool
-- @include usual_turn
-- @include reenqueue
-- Due queues wake in the order of their times, through re-enqueue, so behind the queues already ready.
-- @exports wake_due
local function wake_due(c)
  local names = due_members(K_DUE)
  if #names > 0 then call('ZREMRANGEBYRANK', K_DUE, 0, #names - 1) end -- (they are its first ones)
  for _, name in ipairs(names) do
    if not usual_wake(name, c) then
      local q, why = queue(name)
      if not q then
        zput(K_DUE, name, put_off(why))
      elseif q.state == 'due' then
        reenqueue(q)
      end
    end
  end
end
