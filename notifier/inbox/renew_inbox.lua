-- renew_inbox.lua: give an inbox a new version, so that it is written to SQL again. Nothing else
-- changes.
--
-- uses: save_state
--
-- KEYS[1] state    unread, ver, opened, whole
-- KEYS[2] dirty    users of the partition whose state SQL does not have yet, by ver
-- ARGV[1] ver      expected version, for which there must be no mark
-- ARGV[2] now      ms
-- ARGV[3] seq      user
-- ARGV[4] channel  Pub/Sub channel of this user's changes
--
-- Returns {1, unread, ver}; 0 when the inbox has changed since.
local state, dirty = KEYS[1], KEYS[2]
local ver, now, seq = ARGV[1], ARGV[2], ARGV[3]

local numbers = redis.call('HMGET', state, 'unread', 'ver')
if numbers[2] ~= ver or redis.call('ZSCORE', dirty, seq) then return 0 end
local new = string.format('%.0f', math.max(ver + 1, now))
redis.call('ZADD', dirty, new, seq)
redis.call('HDEL', state, 'late') -- its mark was lost
return save_state(state, ARGV[4], 1, numbers[1], new, {}, 'whole', new)
