-- read_clock.lua: read the clock that all users of this audience share.
--
-- shared
--
-- Returns ms and µs since 1970.
local function read_clock()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000), t[1] * 1000000 + t[2]
end
