-- release_failure.lua: undo the counts of count_failure for an attempt that did not
-- fail. A counter that returns to 0 is removed.
--
-- KEYS[1] accounts   ZSET, member: end of the window (ms) * 1024 + number of failures
-- KEYS[2] addresses  same form
-- KEYS[3] devices    same form
-- ARGV[1..] who      one member for each set in turn; '': skip
--
-- Returns the number of counters that remain.
local accounts, addresses, devices = KEYS[1], KEYS[2], KEYS[3]

local sets, left = { accounts, addresses, devices }, 0
for i = 1, #ARGV do
  local set, who = sets[i], ARGV[i]
  local n = tonumber(redis.call('ZSCORE', set, who) or 0) % 1024
  if n == 1 then
    redis.call('ZREM', set, who)
  elseif n > 1 then
    redis.call('ZINCRBY', set, -1, who)
    left = left + 1
  end
end
return left
