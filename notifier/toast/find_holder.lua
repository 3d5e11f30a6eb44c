-- find_holder.lua: who has a toast in hand.
--
-- Returns {id, consumer, ms since he was given it, how often it was given to anybody};
-- nil when nobody has, which only somebody's hand in Redis brings about.
local function find_holder(stream, id)
  local found = redis.pcall('XPENDING', stream, 'toasts', id, id, 1)
  if found.err or not found[1] then
    read_waiting(stream)
    found = redis.call('XPENDING', stream, 'toasts', id, id, 1)
  end
  return found[1]
end
