-- @include partition
-- What the usual ways ask of a crawl: no quotas of queues, nobody who follows its journal, one precedence for all its queues.
-- @exports ordinary
local function ordinary() -- that precedence, and the `usual` of a queue of it that is in a session; or nil
  if S.max_documents_per_queue >= 0 or S.max_bytes_per_queue >= 0 or (n.followers or 0) > 0 then return nil end
  if S.queue_precedence_policy == 'success_counts' or S.queue_precedence_policy == 'highest_uri' then return nil end
  local precedence = max(0, min(255, S.base_precedence))
  return precedence, text(precedence)
end
