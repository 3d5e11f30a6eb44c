-- wake_rows.lua: move snoozed entries from the archive to the top of the inbox, unread, as if they were delivered now.
-- Those that were retracted or have expired leave the archive.
--
-- uses: event_json, keep_ids, kept_ids, mark_expiry, save_state, trim_gone, trim_inbox
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened, kept, archived, whole
-- KEYS[4] gone     notices that left this inbox, by version
-- KEYS[5] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[6] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[7] archive  entry key → ID AT EXPIRY DUE z
-- KEYS[8] counts   N:d (delivered) and N:r (read) per notice of the partition
-- ARGV[1] now      ms
-- ARGV[2] cap      maximum rows of an inbox
-- ARGV[3] seq      user
-- ARGV[4] channel  Pub/Sub channel of this user's changes
-- ARGV[5..] rows   for each, the one due first first: its entry key, its value in the archive, its notice id, its expiry in
--                  ms (0 for never), and its content with the lines of its group, empty if it is no longer valid
--
-- Returns {woken, unread, ver}; -1 when the inbox is cold; -2 when none of the values is in the archive. Other entries
-- are skipped.
local list, hash, state, gone, expiry, archive, counts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[7], KEYS[8]
local now, cap, seq = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]

local numbers = redis.call('HMGET', state, 'unread', 'ver', 'kept')
if not numbers[2] then return -1 end
local rows, events, woken = {}, {}, 0
for i = 5, #ARGV, 5 do
  if redis.call('HGET', archive, ARGV[i]) == ARGV[i + 1] then rows[#rows + 1] = i end
end
if #rows == 0 then return -2 end
redis.call('ZCARD', expiry) -- a key of a wrong type must fail before anything is written
redis.call('HEXISTS', hash, '')
redis.call('HEXISTS', counts, '')
local unread, ids, kept = tonumber(numbers[1]), kept_ids(numbers[3])
local first = math.max(numbers[2] + 1, now)
local ver, length = string.format('%.0f', first + #rows - 1), redis.call('LLEN', list)
redis.call('ZADD', KEYS[6], ver, seq)
for n, i in ipairs(rows) do
  local key, value, id, expires, text = unpack(ARGV, i, i + 4)
  local was, at, left = value:match('^%d+'), string.format('%.0f', first + n - 1), (redis.call('ZSCORE', gone, id) or 0) % 1
  if text == '' or left >= 0.5 or expires ~= '0' and tonumber(expires) <= now then
    redis.call('ZADD', gone, 'NX', string.format('%.3f', first + 0.25), was)
  else
    mark_expiry(expiry, seq, key, at, expires)
    redis.call('LPUSH', list, key .. ':has_read:0')
    redis.call('HSET', hash, key .. ':has_read:0', id .. ' ' .. at .. ' ' .. expires .. ' ' .. text)
    redis.call('ZREM', gone, id)
    if id == was and redis.call('HEXISTS', counts, id .. ':d') == 1 then redis.call('HINCRBY', counts, id .. ':r', -1) end
    woken, events[#events + 1] = woken + 1, 'notice ' .. id .. ' ' .. key .. ' ' .. event_json(text, at)
  end
  redis.call('HDEL', archive, key)
  kept[was] = nil
end
keep_ids(state, ids, kept)
if redis.call('EXISTS', archive) == 0 then redis.call('HDEL', state, 'archived') end
local fell, removed = trim_inbox(list, hash, gone, expiry, seq, ver, length + woken - cap)
if woken > 0 then events[woken] = events[woken] .. removed end
trim_gone(gone, state, now)
return save_state(state, ARGV[4], woken, unread + woken - fell, ver, events, 'whole', ver)
