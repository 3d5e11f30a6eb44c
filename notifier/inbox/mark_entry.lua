-- mark_entry.lua: mark one entry as read or unread. An entry that the user marks as unread is kept
-- so when the inbox is opened.
--
-- uses: find_row, keep_ids, kept_ids, save_state
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened, kept
-- KEYS[4] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[5] counts   N:d (delivered) and N:r (read) per notice of the partition
-- ARGV[1] key      entry key, without the state
-- ARGV[2] to       the state to reach: 0 unread, 1 read
-- ARGV[3] now      ms
-- ARGV[4] seq      user
-- ARGV[5] channel  Pub/Sub channel of this user's changes
-- ARGV[6] keep     1 to keep the entry unread
-- ARGV[7] id       id that the entry's notice must have; 0 for any
--
-- Returns {1, unread, ver}, starting with 0 if it was in that state already; -1 when the inbox is
-- cold; -2 when the key is not in this inbox or belongs to another notice.
local list, hash, state, counts = KEYS[1], KEYS[2], KEYS[3], KEYS[5]
local key, to, now = ARGV[1], ARGV[2], ARGV[3]

local numbers = redis.call('HMGET', state, 'unread', 'ver', 'kept')
if not numbers[2] then return -1 end
local field, value = find_row(hash, key)
local id = value and value:match('^%d+') or '0'
if not field or ARGV[7] ~= '0' and ARGV[7] ~= id then return -2 end
local unread, turned, step = tonumber(numbers[1]), key .. ':has_read:' .. to, 0
local ids, kept = kept_ids(numbers[3])
local keeps = ARGV[6] == '1' and not kept[id]
if field == turned and not keeps then return {0, unread, tonumber(numbers[2])} end

local place = redis.call('LPOS', list, field)
local ver = string.format('%.0f', math.max(numbers[2] + 1, now))
redis.call('ZADD', KEYS[4], ver, ARGV[4])
if field ~= turned then
  step = to == '1' and 1 or -1
  if redis.call('HEXISTS', counts, id .. ':d') == 1 then redis.call('HINCRBY', counts, id .. ':r', step) end
  if place then redis.call('LSET', list, place, turned) end
  redis.call('HDEL', hash, field)
  redis.call('HSET', hash, turned, value)
end
if keeps then
  ids[#ids + 1] = id
  keep_ids(state, ids)
elseif to == '1' and kept[id] then
  kept[id] = nil
  keep_ids(state, ids, kept)
end
local event = (to == '1' and 'read ' or 'unread ') .. key
return save_state(state, ARGV[5], 1, unread - step, ver, {event})
