-- restore_inbox.lua: put an inbox into Redis as stored in SQL. Rows whose value is empty are left out; their notices
-- are listed in gone. Values that begin with ! are those of another notice of the group than in SQL. Notices that left a cold inbox after the snapshot was taken are not restored, as far as gone
-- still lists them.
--
-- uses: changed_event, clear_rows, mark_expiries, push_all, save_state, trim_gone
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened, floor, kept, archived, whole, first
-- KEYS[4] gone     notices that left this inbox, by version
-- KEYS[5] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[6] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[7] idle     users of the partition by last use; the score of 0 is the fence
-- KEYS[8] archive  entry key → ID AT EXPIRY ARCHIVED
-- ARGV[1] ver      of the snapshot
-- ARGV[2] opened   of the snapshot
-- ARGV[3] now      ms
-- ARGV[4] seq      user
-- ARGV[5] channel  Pub/Sub channel of this user's changes
-- ARGV[6] fence    its value before the snapshot was read; empty: replace the inbox if it is
--                  warm and older
-- ARGV[7] floor    of the snapshot
-- ARGV[8] kept     of the snapshot: ids that the user keeps unread
-- ARGV[9] rows     number of rows that follow, newest first, each a field and a value
-- ARGV[10] archived  number of archived entries that follow the rows, each a key and a value
-- ARGV[11..] fields and values; keys and values; then scores and ids for gone
--
-- Returns {1, unread, ver}, starting with 0 if nothing was done, because the inbox is warm or, when
-- replacing, cold or not older; -5 when the snapshot may be stale.
local list, hash, state, gone, expiry, idle = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[7]
local ver, opened, now, seq, fence = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[6]

local numbers = redis.call('HMGET', state, 'unread', 'ver')
local older = numbers[2] and tonumber(numbers[2]) < tonumber(ver)
if fence == '' and not older or fence ~= '' and numbers[2] then return {0, tonumber(numbers[1] or 0), tonumber(numbers[2] or 0)} end
if older then redis.call('DEL', gone) elseif tonumber(redis.call('ZSCORE', idle, '0') or -1) ~= tonumber(fence) then return -5 end
clear_rows(list, hash, expiry, seq)
redis.call('HDEL', state, 'first')
local left, last = redis.call('EXISTS', gone) == 1, 10 + 2 * ARGV[9]
local unread, fields, rows, events, also, put = 0, {}, {}, {}, {}, {}
for i = 11, #ARGV, 2 do
  local field, value = ARGV[i], ARGV[i + 1]
  if i > last and i <= last + 2 * ARGV[10] then
    put[#put + 1] = field; put[#put + 1] = value
  elseif i > last then
    also[#also + 1] = field; also[#also + 1] = value
  elseif value == '' or left and redis.call('ZSCORE', gone, value:match('%d+')) then
    redis.call('ZREM', expiry, seq .. '|' .. field:sub(1, -12))
    events[#events + 1] = 'removed ' .. field:sub(1, -12)
  else
    if value:byte(1) == 33 then value = value:sub(2); events[#events + 1] = changed_event(field, value) end
    fields[#fields + 1] = field; rows[#rows + 1] = field; rows[#rows + 1] = value
    if field:byte(-1) == 48 then unread = unread + 1 end
  end
end
push_all('RPUSH', list, fields)
push_all('HSET', hash, rows)
push_all('ZADD', gone, also)
redis.call('DEL', KEYS[8])
push_all('HSET', KEYS[8], put)
mark_expiries(expiry, seq, rows)
redis.call('ZADD', idle, now, seq)
redis.call('ZCARD', KEYS[6])
redis.call('HSET', state, 'unread', unread, 'ver', ver, 'opened', opened)
if ARGV[7] ~= '0' then redis.call('HSET', state, 'floor', ARGV[7]) end
if ARGV[8] == '' then redis.call('HDEL', state, 'kept') else redis.call('HSET', state, 'kept', ARGV[8]) end
if #put == 0 then redis.call('HDEL', state, 'archived') else redis.call('HSET', state, 'archived', '1') end
if left or #events > 0 then redis.call('HSET', state, 'whole', string.format('%.0f', ver + 1)) end -- SQL lacks part of gone
if #events == 0 and not older then return {1, unread, tonumber(ver)} end
trim_gone(gone, state, tonumber(now))
ver = string.format('%.0f', math.max(ver + 1, now))
redis.call('ZADD', KEYS[6], ver, seq)
return save_state(state, ARGV[5], 1, unread, ver, events)
