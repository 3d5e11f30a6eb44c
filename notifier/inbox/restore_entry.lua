-- restore_entry.lua: undo a delete: put the row back in its old place, in the state in which it
-- left.
--
-- uses: find_row, mark_expiry, save_state, seek_row
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened
-- KEYS[4] gone     notices that left this inbox, by time
-- KEYS[5] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[6] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[7] archive  entry key → ID AT EXPIRY ARCHIVED
-- ARGV[1] key      entry key, without the state
-- ARGV[2] id       notice id
-- ARGV[3] at       ver of its delivery; reduced to the inbox's ver if higher
-- ARGV[4] expires  ms, 0 for never
-- ARGV[5] json     content of the entry
-- ARGV[6] now      ms
-- ARGV[7] cap      maximum rows of an inbox
-- ARGV[8] seq      user
-- ARGV[9] channel  Pub/Sub channel of this user's changes
--
-- Returns {1, unread, ver}; -1 when the inbox is cold; -2 when the notice did not leave this inbox,
-- was retracted or has expired; -3 when its key is in the inbox or the archive again, or the inbox
-- has no room left.
local list, hash, state, gone, expiry = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local key, id, expires, json = ARGV[1], ARGV[2], ARGV[4], ARGV[5]
local now, cap, seq = tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8]

local numbers = redis.call('HMGET', state, 'unread', 'ver')
if not numbers[2] then return -1 end
local left = (redis.call('ZSCORE', gone, id) or 0.5) % 1
if left >= 0.5 then return -2 end -- retracted
local read = left == 0.125 and '0' or '1' -- unknown state (older data) counts as read, so it is not counted twice
local at = string.format('%.0f', math.min(ARGV[3], numbers[2]))
if expires ~= '0' and tonumber(expires) <= now then return -2 end
if find_row(hash, key) or redis.call('HEXISTS', KEYS[7], key) == 1 then return -3 end
local fields = redis.call('LRANGE', list, 0, -1)
local place = seek_row(hash, fields, tonumber(at))
if #fields >= cap then return -3 end

local field = key .. ':has_read:' .. read
local ver = string.format('%.0f', math.max(numbers[2] + 1, now))
redis.call('ZADD', KEYS[6], ver, seq)
mark_expiry(expiry, seq, key, at, expires)
if fields[place] then redis.call('LINSERT', list, 'BEFORE', fields[place], field) else redis.call('RPUSH', list, field) end
redis.call('HSET', hash, field, id .. ' ' .. at .. ' ' .. expires .. ' ' .. json)
redis.call('ZREM', gone, id)
local events = {'notice ' .. id .. ' ' .. key .. ' ' .. json}
if read == '1' then events[2] = 'read ' .. key end
return save_state(state, ARGV[9], 1, numbers[1] + 1 - read, ver, events)
