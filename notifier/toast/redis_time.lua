-- redis_time.lua: the time on the Redis server. Stream ids, and therefore toast ages, come from that clock, so
-- instances whose clocks differ agree about ages.
--
-- shared
--
-- Returns ms since 1970.
local function redis_time()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end
