-- retract_notice.lua: remove a notice from one inbox, or prevent its delivery there. Its score in gone is higher by
-- one half, so that an undo detects the retraction and is refused.
--
-- uses: find_notice, find_row, remove_row, save_state, shares_row, trim_gone
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened
-- KEYS[4] gone     notices that left this inbox, by version
-- KEYS[5] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[6] dirty    users of the partition whose state SQL does not have yet, by ver
-- ARGV[1] key      entry key, without the state
-- ARGV[2] id       notice id
-- ARGV[3] now      ms
-- ARGV[4] seq      user
-- ARGV[5] channel  Pub/Sub channel of this user's changes
--
-- Returns 1; 0 when it had already been retracted; -1 when the inbox is cold; -6 when it is retracted from a row that
-- stands for other notices, too, and still has to be rebuilt without it.
local list, hash, state, gone, expiry = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local key, id, now, seq = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]

local numbers = redis.call('HMGET', state, 'unread', 'ver')
if not numbers[2] then return -1 end
local left = redis.call('ZSCORE', gone, id)
local _, row = find_row(hash, key)
local shared = row and shares_row(row, id)
if left and tonumber(left) % 1 >= 0.5 then return shared and -6 or 0 end
local field = not shared and find_notice(hash, key, id)
local ver = string.format('%.0f', math.max(numbers[2] + 1, now))
redis.call('ZADD', KEYS[6], ver, seq)
local unread, events, was = tonumber(numbers[1]), {}, left and left % 1 or 0
if field then
  redis.call('ZCARD', expiry) -- a key of a wrong type must fail before the row is removed
  redis.call('LLEN', list)
  unread = unread - remove_row(list, hash, gone, expiry, seq, ver, field, 1)
  events[1], was = 'removed ' .. field:sub(1, -12), redis.call('ZSCORE', gone, id) % 1
end
redis.call('ZADD', gone, string.format('%.4f', ver + 0.5 + was), id)
trim_gone(gone, state, now)
save_state(state, ARGV[5], 1, unread, ver, events)
return shared and -6 or 1
