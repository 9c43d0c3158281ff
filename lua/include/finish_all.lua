-- @include usual
-- @include take_outcome
-- @include limits
-- The outcomes among the arguments take effect, the usual ones in few commands.
-- @exports finish_all
local function finish_all(from, answers) -- from: place of the first argument
  local ids = {}
  for i = from, #ARGV, 7 do ids[#ids + 1] = ARGV[i] end
  prefetch(K_OWN, ids)
  for i = from, #ARGV, 7 do
    local usual = ARGV[i + 5] == '' and ARGV[i + 6] == '' and usual_end(ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4])
    answers[#answers + 1] = usual and '+succeeded' or take_outcome(i)
  end
  settle_ends()
  check_limits()
end
