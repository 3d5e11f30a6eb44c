-- delete_rows.lua: delete entries from an inbox, and store their places for 10 minutes.
--
-- uses: find_row, remove_row, save_state, shares_row, trim_gone
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened
-- KEYS[4] gone     notices that left this inbox, by version
-- KEYS[5] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[6] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[7] deleted  entry key → ID AT EXPIRY of deleted entries
-- ARGV[1] now      ms
-- ARGV[2] seq      user
-- ARGV[3] channel  Pub/Sub channel of this user's changes
-- ARGV[4..] keys   entry keys, without the state
--
-- Returns {deleted, unread, ver, field and value of each deleted row as they were}; -1 when the
-- inbox is cold; -2 when none of the keys is in this inbox. Other keys are skipped.
local list, hash, state, gone, expiry, deleted = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[7]
local now, seq = tonumber(ARGV[1]), ARGV[2]

local numbers = redis.call('HMGET', state, 'unread', 'ver')
if not numbers[2] then return -1 end
local seen, rows, events, places = {}, {}, {}, {}
for i = 4, #ARGV do
  local field, value = find_row(hash, ARGV[i])
  if field and not seen[field] then
    seen[field], rows[#rows + 1], rows[#rows + 2] = true, field, value
    events[#events + 1] = 'removed ' .. ARGV[i]
    local place, group = value:match('^%d+ %d+ %d+') or '', shares_row(value)
    places[#places + 1], places[#places + 2] = ARGV[i], place .. (group and ' ' .. group or '')
  end
end
if #rows == 0 then return -2 end
local ver, unread = string.format('%.0f', math.max(numbers[2] + 1, now)), tonumber(numbers[1])
redis.call('ZADD', KEYS[6], ver, seq)
redis.call('ZCARD', expiry) -- a key of a wrong type must fail before a row is removed
redis.call('LLEN', list)
if redis.call('HLEN', deleted) > 500 then redis.call('DEL', deleted) end
redis.call('HSET', deleted, unpack(places))
redis.call('PEXPIRE', deleted, 600000)
for i = 1, #rows, 2 do unread = unread - remove_row(list, hash, gone, expiry, seq, ver, rows[i], 1) end
trim_gone(gone, state, now)
local reply = save_state(state, ARGV[3], #rows / 2, unread, ver, events)
reply[4] = rows
return reply
