-- restore_rows.lua: undo a delete: put rows back in their old places and states.
--
-- uses: event_json, find_row, mark_expiry, save_state, seek_row
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened, whole
-- KEYS[4] gone     notices that left this inbox, by version
-- KEYS[5] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[6] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[7] archive  entry key → ID AT EXPIRY ARCHIVED
-- ARGV[1] now      ms
-- ARGV[2] cap      maximum rows of an inbox
-- ARGV[3] seq      user
-- ARGV[4] channel  Pub/Sub channel of this user's changes
-- ARGV[5..] rows   for each: its entry key, its notice id, ver of its delivery (reduced to the
--                  inbox's ver if higher), its expiry in ms (0 for never), and its content with the lines of its group
--
-- Returns {restored, unread, ver}; -1 when the inbox is cold; -2 when none of the notices left this
-- inbox or all of those were retracted or have expired; -3 when the key of one is in the inbox or the
-- archive again, or the inbox has no room left. Other rows are skipped.
local list, hash, state, gone, expiry, archive = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[7]
local now, cap, seq = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]

local numbers = redis.call('HMGET', state, 'unread', 'ver')
if not numbers[2] then return -1 end
local rows, taken, fields, code = {}, {}, redis.call('LRANGE', list, 0, -1), -2
for i = 5, #ARGV, 5 do
  local key, id, at, expires = unpack(ARGV, i, i + 3)
  local left = (redis.call('ZSCORE', gone, id) or 0.5) % 1
  if left < 0.5 and (expires == '0' or tonumber(expires) > now) then -- above, it was retracted
    if taken[key] or find_row(hash, key) or redis.call('HEXISTS', archive, key) == 1 or #fields + #rows >= cap then
      code = -3
    else
      local read = (left == 0.125 or left == 0.1875) and 0 or 1 -- unknown state (older data) counts as read, so it is not counted twice
      taken[key], rows[#rows + 1] = true, {i, string.format('%.0f', math.min(at, numbers[2])), read}
    end
  end
end
if #rows == 0 then return code end

local ver, unread, events = string.format('%.0f', math.max(numbers[2] + 1, now)), tonumber(numbers[1]), {}
redis.call('ZADD', KEYS[6], ver, seq)
for _, row in ipairs(rows) do
  local i, at, read = unpack(row)
  local key, id, _, expires, text = unpack(ARGV, i, i + 4)
  local field, place = key .. ':has_read:' .. read, seek_row(hash, fields, tonumber(at))
  mark_expiry(expiry, seq, key, at, expires)
  if fields[place] then redis.call('LINSERT', list, 'BEFORE', fields[place], field) else redis.call('RPUSH', list, field) end
  table.insert(fields, place, field)
  redis.call('HSET', hash, field, id .. ' ' .. at .. ' ' .. expires .. ' ' .. text)
  redis.call('ZREM', gone, id)
  events[#events + 1] = 'notice ' .. id .. ' ' .. key .. ' ' .. event_json(text, at)
  if read == 1 then events[#events + 1] = 'read ' .. key end
  unread = unread + 1 - read
end
return save_state(state, ARGV[4], #rows, unread, ver, events, 'whole', ver)
