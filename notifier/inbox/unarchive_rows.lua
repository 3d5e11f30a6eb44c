-- unarchive_rows.lua: move entries from the archive back to their old places in the inbox, read or unread as they were.
--
-- uses: event_json, keep_ids, kept_ids, mark_expiry, push_all, save_state, seek_row
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened, kept, archived, whole
-- KEYS[4] gone     notices that left this inbox, by version
-- KEYS[5] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[6] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[7] archive  entry key → ID AT EXPIRY ARCHIVED
-- KEYS[8] counts   N:d (delivered) and N:r (read) per notice of the partition
-- ARGV[1] now      ms
-- ARGV[2] cap      maximum rows of an inbox
-- ARGV[3] seq      user
-- ARGV[4] channel  Pub/Sub channel of this user's changes
-- ARGV[5..] rows   for each: an entry key, its value in the archive, its notice id, its expiry in ms (0 for never), and its
--                  content with the lines of its group
--
-- Returns {moved, unread, ver, their fields}; -1 when the inbox is cold; -2 when none of the entries is in
-- the archive, was retracted or has expired; -3 when the inbox has no room. Other entries are
-- skipped.
local list, hash, state, gone, expiry, archive, counts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[7], KEYS[8]
local now, cap, seq = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]

local numbers = redis.call('HMGET', state, 'unread', 'ver', 'kept')
if not numbers[2] then return -1 end
local function archived(key, value, id, expires)
  if redis.call('HGET', archive, key) ~= value or expires ~= '0' and tonumber(expires) <= now then return end
  local was, at, put = value:match('^(%d+) (%d+) %d+ (%d+)')
  if tonumber(put) > now - 2592000000 and (redis.call('ZSCORE', gone, id) or 0) % 1 < 0.5 then return at, was end
end
local rows, fields, code, events, moved = {}, redis.call('LRANGE', list, 0, -1), -2, {}, {}
for i = 5, #ARGV, 5 do
  local at, was = archived(unpack(ARGV, i, i + 3))
  if at and #fields + #rows >= cap then code = -3 elseif at then rows[#rows + 1] = {i, at, was} end
end
if #rows == 0 then return code end
redis.call('HEXISTS', counts, '') -- a key of a wrong type must fail before anything is written
local unread, ids, kept = tonumber(numbers[1]), kept_ids(numbers[3])
local ver = string.format('%.0f', math.max(numbers[2] + 1, now))
redis.call('ZADD', KEYS[6], ver, seq)
for i, row in ipairs(rows) do
  local key, _, id, expires, text = unpack(ARGV, row[1], row[1] + 4)
  local at, was = row[2], row[3]
  local read = kept[was] and 0 or 1
  local field = key .. ':has_read:' .. read
  mark_expiry(expiry, seq, key, at, expires)
  table.insert(fields, seek_row(hash, fields, tonumber(at)), field)
  redis.call('HSET', hash, field, id .. ' ' .. at .. ' ' .. expires .. ' ' .. text)
  redis.call('HDEL', archive, key)
  redis.call('ZREM', gone, id)
  moved[i], events[#events + 1] = field, 'notice ' .. id .. ' ' .. key .. ' ' .. event_json(text, at)
  if read == 1 then events[#events + 1] = 'read ' .. key end
  if read == 0 and id == was and redis.call('HEXISTS', counts, id .. ':d') == 1 then redis.call('HINCRBY', counts, id .. ':r', -1) end
  unread, kept[was] = unread + 1 - read, nil
end
keep_ids(state, ids, kept)
if redis.call('EXISTS', archive) == 0 then redis.call('HDEL', state, 'archived') end
redis.call('DEL', list)
push_all('RPUSH', list, fields)
local reply = save_state(state, ARGV[4], #rows, unread, ver, events, 'whole', ver)
reply[4] = moved
return reply
