-- @include usual_end
-- @include take_outcome
-- @include limits
-- The outcomes among the arguments take effect, the usual ones in few commands.
-- @exports finish_all
local function finish_all(from, answers) -- from: place of the first argument
  local args, ids, before, at = ARGV, {}, #answers, 0
  for i = from, #ARGV, 7 do ids[#ids + 1] = args[i] end
  local owns, by_id = prefetch(K_OWN, ids)
  for i = from, #ARGV, 7 do
    at = at + 1
    local usual = args[i + 5] == '' and args[i + 6] == ''
    usual = usual and usual_end(owns[at], args[i], args[i + 1], args[i + 2], args[i + 3], args[i + 4])
    if usual then by_id[args[i]] = false end -- (it is no longer leased, should it come again)
    answers[before + at] = usual and '+succeeded' or take_outcome(i)
  end
  settle_ends()
  check_limits()
end
