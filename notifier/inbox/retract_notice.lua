-- retract_notice.lua: a notice leaves one inbox, or will never come into it. In
-- gone it stands at half a millisecond, by which an undo knows to refuse.
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened
-- KEYS[4] gone     notices that left this inbox, by time
-- KEYS[5] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[6] dirty    users of the partition that SQL has not seen, by ver
-- ARGV[1] key      entry key, without the state
-- ARGV[2] id       notice id
-- ARGV[3] now      ms
-- ARGV[4] seq      user
-- ARGV[5] channel  where this user's changes are told
--
-- Returns 1; 0 when it was retracted already; -1 when the inbox is cold.
local list, hash, state, gone, expiry = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local key, id, now, seq = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]

local numbers = redis.call('HMGET', state, 'unread', 'ver')
if not numbers[2] then return -1 end
local left = redis.call('ZSCORE', gone, id)
if left and tonumber(left) % 1 > 0 then return 0 end
local field, value = find_row(hash, key)
local ver = string.format('%.0f', math.max(numbers[2] + 1, now))
redis.call('ZADD', KEYS[6], ver, seq)
local unread, events = tonumber(numbers[1]), {}
if field and value:match('^%d+') == id then
  redis.call('ZCARD', expiry) -- and list: what refuses does so before the row leaves
  redis.call('LLEN', list)
  unread = unread - remove_row(list, hash, gone, expiry, seq, now, field, 1)
  events[1] = 'removed ' .. key
end
redis.call('ZADD', gone, string.format('%.1f', now + 0.5), id)
trim_gone(gone, state, now)
save_state(state, ARGV[5], 1, unread, ver, events)
return 1
