-- find_holder.lua: find the consumer that holds a toast.
--
-- shared
-- uses: read_waiting
--
-- Returns {id, consumer, ms since it was delivered to that consumer, number of deliveries}; nil when no consumer
-- holds it, which happens only after a manual change in Redis.
local function find_holder(stream, id)
  local found = redis.pcall('XPENDING', stream, 'toasts', id, id, 1)
  if found.err or not found[1] then
    read_waiting(stream)
    found = redis.call('XPENDING', stream, 'toasts', id, id, 1)
  end
  return found[1]
end
