-- raise_fence.lua: record that an inbox has left Redis, so that a snapshot read from SQL earlier is no longer
-- restored.
--
-- shared
--
-- Returns nothing.
local function raise_fence(idle, now)
  redis.call('ZADD', idle, 'NX', now, '0')
  redis.call('ZINCRBY', idle, 1, '0')
end
