-- mark_entry.lua: turn one entry from one state to the other.
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened
-- KEYS[4] dirty    users of the partition that SQL has not seen, by ver
-- KEYS[5] counts   N:d and N:r of the partition
-- ARGV[1] key      entry key, without the state
-- ARGV[2] from     the state to leave: 0 unread, 1 read
-- ARGV[3] to       the state to reach: the other one
-- ARGV[4] now      ms
-- ARGV[5] seq      user
-- ARGV[6] channel  where this user's changes are told
--
-- Returns {1, unread, ver}, with 0 first when it was in that state already; -1
-- when the inbox is cold; -2 when the key is not in this inbox.
local list, hash, state, counts = KEYS[1], KEYS[2], KEYS[3], KEYS[5]
local key, from, to = ARGV[1], ARGV[2], ARGV[3]

local numbers = redis.call('HMGET', state, 'unread', 'ver')
if not numbers[2] then return -1 end
local field, value = find_row(hash, key)
if not field then return -2 end
local unread = tonumber(numbers[1])
if field == key .. ':has_read:' .. to then return {0, unread, tonumber(numbers[2])} end

local turned, step = key .. ':has_read:' .. to, tonumber(to) - tonumber(from)
local place = redis.call('LPOS', list, field)
local ver = string.format('%.0f', math.max(numbers[2] + 1, ARGV[4]))
redis.call('ZADD', KEYS[4], ver, ARGV[5])
local id = value:match('^%d+')
if id and redis.call('HEXISTS', counts, id .. ':d') == 1 then
  redis.call('HINCRBY', counts, id .. ':r', step)
end
if place then redis.call('LSET', list, place, turned) end
redis.call('HDEL', hash, field)
redis.call('HSET', hash, turned, value)
local event = (to == '1' and 'read ' or 'unread ') .. key
return save_state(state, ARGV[6], 1, unread - step, ver, {event})
