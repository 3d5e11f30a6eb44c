-- restore_entry.lua: undo a delete: the row is back at its old place.
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened
-- KEYS[4] gone     notices that left this inbox, by time
-- KEYS[5] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[6] dirty    users of the partition that SQL has not seen, by ver
-- ARGV[1] key      entry key, without the state
-- ARGV[2] id       notice id
-- ARGV[3] at       ver of its delivery
-- ARGV[4] expires  ms, 0 for never
-- ARGV[5] read     its state: 0 unread, 1 read
-- ARGV[6] json     what the entry shows
-- ARGV[7] now      ms
-- ARGV[8] cap      most rows of an inbox
-- ARGV[9] seq      user
-- ARGV[10] channel where this user's changes are told
--
-- Returns {1, unread, ver}; -1 when the inbox is cold; -2 when the notice did
-- not leave this inbox, is retracted or is expired; -3 when its key is back already, or the
-- inbox has filled up with newer rows.
local list, hash, state, gone, expiry = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local key, id, at, expires, read = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local now, cap, seq = tonumber(ARGV[7]), tonumber(ARGV[8]), ARGV[9]

local numbers = redis.call('HMGET', state, 'unread', 'ver')
if not numbers[2] then return -1 end
local left = redis.call('ZSCORE', gone, id)
if not left or tonumber(left) % 1 > 0 then return -2 end -- half a millisecond: retracted
if expires ~= '0' and tonumber(expires) <= now then return -2 end
if find_row(hash, key) then return -3 end
local fields = redis.call('LRANGE', list, 0, -1)
local place = seek_row(hash, fields, tonumber(at))
if #fields >= cap then return -3 end

local field = key .. ':has_read:' .. read
local ver = string.format('%.0f', math.max(numbers[2] + 1, now))
redis.call('ZADD', KEYS[6], ver, seq)
mark_expiry(expiry, seq, key, at, expires)
if fields[place] then redis.call('LINSERT', list, 'BEFORE', fields[place], field) else redis.call('RPUSH', list, field) end
redis.call('HSET', hash, field, id .. ' ' .. at .. ' ' .. expires .. ' ' .. ARGV[6])
redis.call('ZREM', gone, id)
local events = {'notice ' .. id .. ' ' .. key .. ' ' .. ARGV[6]}
if read == '1' then events[2] = 'read ' .. key end
return save_state(state, ARGV[10], 1, numbers[1] + 1 - read, ver, events)
