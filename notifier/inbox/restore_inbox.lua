-- restore_inbox.lua: an inbox is in Redis as SQL has it. Rows that have no value
-- any more leave it by that; their notices are among those gone. What left a cold
-- inbox since the snapshot stays away, as far as gone still knows.
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened, floor
-- KEYS[4] gone     notices that left this inbox, by time
-- KEYS[5] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[6] dirty    users of the partition that SQL has not seen, by ver
-- KEYS[7] idle     users of the partition by last use; 0 by the fence
-- ARGV[1] ver      of the snapshot
-- ARGV[2] opened   of the snapshot
-- ARGV[3] now      ms
-- ARGV[4] seq      user
-- ARGV[5] channel  where this user's changes are told
-- ARGV[6] fence    as it was before the snapshot was read; empty: the inbox is
--                  replaced, if it is warm and older
-- ARGV[7] floor    of the snapshot
-- ARGV[8] rows     how many fields come next, newest first, each with its value
-- ARGV[9..] fields and values; then scores and ids of gone
--
-- Returns {1, unread, ver}, with 0 first when nothing was done, because the inbox
-- is warm or, to be replaced, cold or not older; -5 when the snapshot may be stale.
local list, hash, state, gone, expiry, idle = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[7]
local ver, opened, now, seq, fence = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[6]

local numbers = redis.call('HMGET', state, 'unread', 'ver')
local older = numbers[2] and tonumber(numbers[2]) < tonumber(ver)
if fence == '' and not older or fence ~= '' and numbers[2] then return {0, tonumber(numbers[1] or 0), tonumber(numbers[2] or 0)} end
if older then redis.call('DEL', gone) elseif tonumber(redis.call('ZSCORE', idle, '0') or -1) ~= tonumber(fence) then return -5 end
clear_rows(list, hash, expiry, seq)
local left, last = redis.call('EXISTS', gone) == 1, 8 + 2 * ARGV[8]
local unread, fields, rows, events, also = 0, {}, {}, {}, {}
for i = 9, #ARGV, 2 do
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
redis.call('ZADD', idle, now, seq)
redis.call('ZCARD', KEYS[6])
redis.call('HSET', state, 'unread', unread, 'ver', ver, 'opened', opened)
if ARGV[7] ~= '0' then redis.call('HSET', state, 'floor', ARGV[7]) end
if #events == 0 and not older then return {1, unread, tonumber(ver)} end
trim_gone(gone, state, tonumber(now))
ver = string.format('%.0f', math.max(ver + 1, now))
redis.call('ZADD', KEYS[6], ver, seq)
return save_state(state, ARGV[5], 1, unread, ver, events)
