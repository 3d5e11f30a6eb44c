-- trim_gone.lua: keep the notices that left an inbox for 7 days, at most 500. The highest id dropped
-- for lack of room becomes the floor of the inbox: a notice not above it and not listed here may
-- have been in the inbox before.
--
-- shared
--
-- Returns nothing.
local function trim_gone(gone, state, now)
  redis.call('ZREMRANGEBYSCORE', gone, '-inf', string.format('%.0f', now - 604800000))
  local dropped = redis.call('ZRANGE', gone, 0, -501)
  if #dropped == 0 then return end
  local floor = tonumber(redis.call('HGET', state, 'floor') or 0)
  for _, id in ipairs(dropped) do floor = math.max(floor, tonumber(id) or 0) end
  redis.call('HSET', state, 'floor', string.format('%.0f', floor))
  redis.call('ZREMRANGEBYRANK', gone, 0, -501)
end
