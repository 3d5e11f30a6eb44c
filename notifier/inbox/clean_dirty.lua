-- clean_dirty.lua: remove the marks of users whose marked state, or a later one, is in SQL.
--
-- KEYS[1] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[2] flushed  the highest ver of the partition that SQL has
-- KEYS[3] late     users of the partition with notices that SQL does not have in their inboxes yet, by acceptance
-- KEYS[4..] state  of each user: ver, late
-- ARGV[1..] marks  pairs of a user and the ver that SQL has
--
-- Returns the number of dirty marks removed. Newer marks stay, and a late mark stays if the inbox has changed since.
-- flushed only rises, and never above the time of Redis, even if the clocks of the instances differ. If it is missing
-- or 0, it is not changed: that is how a loss is detected, and only healing may end that state.
local dirty, flushed, late = KEYS[1], KEYS[2], KEYS[3]

local seen, old, high = {}, {}, tonumber(redis.call('GET', flushed) or 0)
local time = redis.call('TIME')
local now, was = time[1] * 1000 + math.floor(time[2] / 1000), high
for i = 1, #ARGV, 2 do
  local seq, saved = ARGV[i], tonumber(ARGV[i + 1])
  local ver = redis.call('ZSCORE', dirty, seq)
  if ver and tonumber(ver) <= saved then seen[#seen + 1] = seq end
  local state = KEYS[4 + (i - 1) / 2]
  local is = redis.call('HMGET', state, 'ver', 'late')
  if is[2] and tonumber(is[1]) <= saved then
    redis.call('HDEL', state, 'late')
    old[#old + 1] = seq
  end
  high = math.max(high, math.min(saved, now))
end
if was > 0 and high > was then redis.call('SET', flushed, string.format('%.0f', high)) end
if #old > 0 then redis.call('ZREM', late, unpack(old)) end
if #seen == 0 then return 0 end
return redis.call('ZREM', dirty, unpack(seen))
