-- unarchive_rows.lua: move entries from the archive back to their old places in the inbox. They stay
-- read.
--
-- uses: mark_expiry, push_all, save_state, seek_row
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened, archived, whole
-- KEYS[4] gone     notices that left this inbox, by version
-- KEYS[5] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[6] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[7] archive  entry key → ID AT EXPIRY ARCHIVED
-- ARGV[1] now      ms
-- ARGV[2] cap      maximum rows of an inbox
-- ARGV[3] seq      user
-- ARGV[4] channel  Pub/Sub channel of this user's changes
-- ARGV[5..] rows   an entry key, its notice id and the content for each entry
--
-- Returns {moved, unread, ver, keys}; -1 when the inbox is cold; -2 when none of the entries is in
-- the archive, was retracted or has expired; -3 when the inbox has no room. Other entries are
-- skipped.
local list, hash, state, gone, expiry, archive = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[7]
local now, cap, seq = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]

local numbers = redis.call('HMGET', state, 'unread', 'ver')
if not numbers[2] then return -1 end
local function archived(key, id)
  local notice, at, expires, put = (redis.call('HGET', archive, key) or ''):match('^(%d+) (%d+) (%d+) (%d+)$')
  if notice ~= id or tonumber(put) <= now - 2592000000 or expires ~= '0' and tonumber(expires) <= now then return end
  if (redis.call('ZSCORE', gone, id) or 0) % 1 < 0.5 then return at, expires end
end
local rows, fields, code, events, keys = {}, redis.call('LRANGE', list, 0, -1), -2, {}, {}
for i = 5, #ARGV, 3 do
  local at, expires = archived(ARGV[i], ARGV[i + 1])
  if at and #fields + #rows >= cap then code = -3 elseif at then rows[#rows + 1] = {i, at, expires} end
end
if #rows == 0 then return code end
local ver = string.format('%.0f', math.max(numbers[2] + 1, now))
redis.call('ZADD', KEYS[6], ver, seq)
for i, row in ipairs(rows) do
  local key, id, json = unpack(ARGV, row[1], row[1] + 2)
  local field = key .. ':has_read:1'
  mark_expiry(expiry, seq, key, row[2], row[3])
  table.insert(fields, seek_row(hash, fields, tonumber(row[2])), field)
  redis.call('HSET', hash, field, id .. ' ' .. row[2] .. ' ' .. row[3] .. ' ' .. json)
  redis.call('HDEL', archive, key)
  redis.call('ZREM', gone, id)
  keys[i], events[2 * i - 1], events[2 * i] = key, 'notice ' .. id .. ' ' .. key .. ' {"at":' .. row[2] .. ',' .. json:sub(2), 'read ' .. key
end
if redis.call('EXISTS', archive) == 0 then redis.call('HDEL', state, 'archived') end
redis.call('DEL', list)
push_all('RPUSH', list, fields)
local reply = save_state(state, ARGV[4], #rows, tonumber(numbers[1]), ver, events, 'whole', ver)
reply[4] = keys
return reply
