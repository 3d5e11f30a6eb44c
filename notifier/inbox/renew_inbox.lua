-- renew_inbox.lua: an inbox has a new version, so that SQL is told again what is in
-- it. Nothing else changes.
--
-- KEYS[1] state    unread, ver, opened
-- KEYS[2] dirty    users of the partition that SQL has not seen, by ver
-- ARGV[1] ver      that it must have still, and SQL have been told of
-- ARGV[2] now      ms
-- ARGV[3] seq      user
-- ARGV[4] channel  where this user's changes are told
--
-- Returns {1, unread, ver}; 0 when it has changed meanwhile.
local state, dirty = KEYS[1], KEYS[2]
local ver, now, seq = ARGV[1], ARGV[2], ARGV[3]

local numbers = redis.call('HMGET', state, 'unread', 'ver')
if numbers[2] ~= ver or redis.call('ZSCORE', dirty, seq) then return 0 end
local new = string.format('%.0f', math.max(ver + 1, now))
redis.call('ZADD', dirty, new, seq)
return save_state(state, ARGV[4], 1, numbers[1], new, {})
