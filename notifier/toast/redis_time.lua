-- redis_time.lua: what time it is for Redis, which gives the ids and thereby says how
-- old a toast is: instances whose clocks differ agree about that.
--
-- Returns ms since 1970.
local function redis_time()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end
