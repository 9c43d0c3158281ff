-- @include usual
-- @include take_outcome
-- @include limits
-- The outcomes among the arguments take effect, the usual ones in few commands.
-- @exports finish_all
local function finish_all(from, answers) -- from: place of the first argument
  local args, ids, size, at = ARGV, {}, #answers, 1
  for i = from, #ARGV, 7 do ids[#ids + 1] = args[i] end
  local owns = prefetch(K_OWN, ids) or {}
  for i = from, #ARGV, 7 do
    local usual = args[i + 5] == '' and args[i + 6] == '' and usual_end(owns[at], args[i], args[i + 1], args[i + 2], args[i + 3], args[i + 4])
    size, at = size + 1, at + 1
    answers[size] = usual and '+succeeded' or take_outcome(i)
  end
  settle_ends()
  check_limits()
end
