-- restore_inbox.lua: a cold inbox is in Redis again, as SQL has it. Rows that have
-- no value any more leave it by that; their notices are among those gone. What
-- left this inbox since the snapshot stays away, as far as gone still knows.
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened
-- KEYS[4] gone     notices that left this inbox, by time
-- KEYS[5] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[6] dirty    users of the partition that SQL has not seen, by ver
-- ARGV[1] ver      of the snapshot
-- ARGV[2] opened   of the snapshot
-- ARGV[3] now      ms
-- ARGV[4] seq      user
-- ARGV[5] channel  where this user's changes are told
-- ARGV[6] rows     how many fields come next, newest first, each with its value
-- ARGV[7..] fields and values; then scores and ids of gone
--
-- Returns {1, unread, ver}, with 0 first when the inbox was warm already.
local list, hash, state, gone, expiry = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local ver, opened, now, seq = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local numbers = redis.call('HMGET', state, 'unread', 'ver')
if numbers[2] then return {0, tonumber(numbers[1]), tonumber(numbers[2])} end
redis.call('DEL', list, hash)
local left, last = redis.call('EXISTS', gone) == 1, 6 + 2 * ARGV[6]
local unread, fields, rows, events, also = 0, {}, {}, {}, {}
for i = 7, #ARGV, 2 do
  local field, value = ARGV[i], ARGV[i + 1]
  if i > last then
    also[#also + 1] = field; also[#also + 1] = value
  elseif value == '' or left and redis.call('ZSCORE', gone, value:match('^%d+')) then
    redis.call('ZREM', expiry, seq .. '|' .. field:sub(1, -12))
    events[#events + 1] = 'removed ' .. field:sub(1, -12)
  else
    fields[#fields + 1] = field; rows[#rows + 1] = field; rows[#rows + 1] = value
    if field:byte(-1) == 48 then unread = unread + 1 end
  end
end
push_all('RPUSH', list, fields)
push_all('HSET', hash, rows)
push_all('ZADD', gone, also)
mark_expiries(expiry, seq, rows)
redis.call('HSET', state, 'unread', unread, 'ver', ver, 'opened', opened)
if #events == 0 then return {1, unread, tonumber(ver)} end
trim_gone(gone, tonumber(now))
ver = string.format('%.0f', math.max(ver + 1, now))
return save_state(state, KEYS[6], seq, ARGV[5], 1, unread, ver, events)
