-- raise_fence.lua: an inbox leaves Redis; what was read of SQL before does not come
-- back after this.
--
-- Returns nothing.
local function raise_fence(idle, now)
  redis.call('ZADD', idle, 'NX', now, '0')
  redis.call('ZINCRBY', idle, 1, '0')
end
