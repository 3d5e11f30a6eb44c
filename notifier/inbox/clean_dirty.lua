-- clean_dirty.lua: SQL has seen these users, as they were marked or later.
--
-- KEYS[1] dirty    users of the partition that SQL has not seen, by ver
-- KEYS[2] flushed  the highest ver of the partition that SQL has seen
-- ARGV[1..] marks  a user, the ver that SQL has seen, and so on
--
-- Returns how many marks left. One that is newer stays. flushed only rises, and
-- never above the time, whatever the clocks of instances say. Where it is missing or
-- 0 it stays so: that is how a loss is seen, and healing alone may end it.
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
