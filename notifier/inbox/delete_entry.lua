-- delete_entry.lua: delete one entry from an inbox.
--
-- uses: find_row, remove_row, save_state, trim_gone
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened
-- KEYS[4] gone     notices that left this inbox, by time
-- KEYS[5] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[6] dirty    users of the partition whose state SQL does not have yet, by ver
-- ARGV[1] key      entry key, without the state
-- ARGV[2] now      ms
-- ARGV[3] seq      user
-- ARGV[4] channel  Pub/Sub channel of this user's changes
--
-- Returns {1, unread, ver, field, value}, field and value as they were; -1 when the inbox is
-- cold; -2 when the key is not in this inbox.
local list, hash, state, gone, expiry = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local key, now, seq = ARGV[1], tonumber(ARGV[2]), ARGV[3]

local numbers = redis.call('HMGET', state, 'unread', 'ver')
if not numbers[2] then return -1 end
local field, value = find_row(hash, key)
if not field then return -2 end
local ver = string.format('%.0f', math.max(numbers[2] + 1, now))
redis.call('ZADD', KEYS[6], ver, seq)
redis.call('ZCARD', expiry) -- a key of a wrong type must fail before the row is removed
redis.call('LLEN', list)
local unread = numbers[1] - remove_row(list, hash, gone, expiry, seq, now, field, 1)
trim_gone(gone, state, now)
local reply = save_state(state, ARGV[4], 1, unread, ver, {'removed ' .. key})
reply[4], reply[5] = field, value
return reply
