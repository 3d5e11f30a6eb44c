-- clean_dirty.lua: remove the dirty marks of users whose marked state, or a later one, is in SQL.
--
-- KEYS[1] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[2] flushed  the highest ver of the partition that SQL has
-- ARGV[1..] marks  pairs of a user and the ver that SQL has
--
-- Returns the number of marks removed. Newer marks stay. flushed only rises, and never above the time of Redis, even
-- if the clocks of the instances differ. If it is missing or 0, it is not changed: that is how a loss is detected,
-- and only healing may end that state.
local dirty, flushed = KEYS[1], KEYS[2]

local seen, high = {}, tonumber(redis.call('GET', flushed) or 0)
local time = redis.call('TIME')
local now, was = time[1] * 1000 + math.floor(time[2] / 1000), high
for i = 1, #ARGV, 2 do
  local ver = redis.call('ZSCORE', dirty, ARGV[i])
  if ver and tonumber(ver) <= tonumber(ARGV[i + 1]) then seen[#seen + 1] = ARGV[i] end
  high = math.max(high, math.min(ARGV[i + 1], now))
end
if was > 0 and high > was then redis.call('SET', flushed, string.format('%.0f', high)) end
if #seen == 0 then return 0 end
return redis.call('ZREM', dirty, unpack(seen))
