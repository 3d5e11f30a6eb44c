-- trim_gone.lua: keep the notices that left an inbox for 7 days, at most 500.
--
-- Returns nothing.
local function trim_gone(gone, now)
  redis.call('ZREMRANGEBYSCORE', gone, '-inf', string.format('%.0f', now - 604800000))
  redis.call('ZREMRANGEBYRANK', gone, 0, -501)
end
