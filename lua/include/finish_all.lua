-- @include usual
-- @include take_outcome
-- @include limits
-- The outcomes among the arguments take effect, the usual ones in few commands.
-- @exports finish_all
local function finish_all(from, answers) -- from: place of the first argument
  local args, ids, size = ARGV, {}, #answers
  for i = from, #ARGV, 7 do ids[#ids + 1] = args[i] end
  prefetch(K_OWN, ids)
  for i = from, #ARGV, 7 do
    local usual = args[i + 5] == '' and args[i + 6] == '' and usual_end(args[i], args[i + 1], args[i + 2], args[i + 3], args[i + 4])
    size = size + 1
    answers[size] = usual and '+succeeded' or take_outcome(i)
  end
  settle_ends()
  check_limits()
end
