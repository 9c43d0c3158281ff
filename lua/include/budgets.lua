-- @include reenqueue
-- Budgets of a queue: its own (an operator's) before that of its sheet or the crawl.
-- @general
-- @exports total_budget session_over spent_up quota_reached within_budget
local BUDGET_REASONS = { budget = true, documents = true, bytes = true }

local function total_budget(q, s)
  return q.budget >= -1 and q.budget or s.queue_total_budget
end

local function session_over(q, s) -- strictly: a session spends up to its budget + 1
  return s.balance_replenish_amount > 0 and q.spent - q.session_start > s.balance_replenish_amount
end

local function spent_up(q, s)
  local total = total_budget(q, s)
  return total >= 0 and q.spent >= total
end

local function quota_reached(q, s)
  local most, bytes = s.max_documents_per_queue, s.max_bytes_per_queue
  return (most >= 0 and q.succeeded >= most and 'documents') or (bytes >= 0 and q.bytes >= bytes and 'bytes') or nil
end

local function within_budget(q) -- was it retired for a budget that now lets it go on?
  local s = settings_of(q)
  return BUDGET_REASONS[q.retired_why] and not spent_up(q, s) and not quota_reached(q, s)
end
