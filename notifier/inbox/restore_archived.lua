-- restore_archived.lua: undo a delete from an archive.
--
-- uses: count_snoozed, find_row, save_state
--
-- KEYS[1] hash     field → ID AT EXPIRY JSON
-- KEYS[2] state    unread, ver, opened, archived, whole
-- KEYS[3] gone     notices that left this inbox, by version
-- KEYS[4] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[5] archive  entry key → ID AT EXPIRY ARCHIVED
-- KEYS[6] deleted  entry key → ID AT EXPIRY ARCHIVED of deleted entries
-- ARGV[1] now      ms
-- ARGV[2] seq      user
-- ARGV[3] channel  Pub/Sub channel of this user's changes
-- ARGV[4] room     maximum entries of an archive
-- ARGV[5] most     maximum snoozed entries
-- ARGV[6..] keys   entry keys, without the state
--
-- Returns {restored, unread, ver}; -1 when the inbox is cold; -2 when none of the entries was deleted
-- from the archive, or all of those were retracted or have expired; -3 when the key of one is in the
-- inbox or the archive again, or the archive has no room, or too many entries are snoozed. Other keys are skipped.
local hash, state, gone, archive, deleted = KEYS[1], KEYS[2], KEYS[3], KEYS[5], KEYS[6]
local now, room = tonumber(ARGV[1]), tonumber(ARGV[4])

local numbers = redis.call('HMGET', state, 'unread', 'ver')
if not numbers[2] then return -1 end
local rows, ids, taken, code = {}, {}, {}, -2
local count, most = redis.call('HLEN', archive), ARGV[5] - count_snoozed(archive, gone, now)
for i = 6, #ARGV do
  local key = ARGV[i]
  local value = redis.call('HGET', deleted, key) or ''
  local id, expires, put, mark, group = value:match('^(%d+) %d+ (%d+) (%d+) ?(z?)(%a?)')
  local left = id and (redis.call('ZSCORE', gone, id) or 0.5) % 1 or 0.5
  if (left < 0.5 or group and group ~= '') and tonumber(put) > now - 2592000000 and (expires == '0' or tonumber(expires) > now) then -- above, it was retracted; another notice of a group may take its place
    if taken[key] or find_row(hash, key) or redis.call('HEXISTS', archive, key) == 1 or count + #rows / 2 >= room or mark == 'z' and most < 1 then
      code = -3
    else
      if mark == 'z' then most = most - 1 end
      if left < 0.5 then ids[#ids + 1] = id end
      taken[key], rows[#rows + 1], rows[#rows + 2] = true, key, value
    end
  end
end
if #rows == 0 then return code end
local ver = string.format('%.0f', math.max(numbers[2] + 1, now))
redis.call('ZADD', KEYS[4], ver, ARGV[2])
redis.call('HSET', archive, unpack(rows))
if #ids > 0 then redis.call('ZREM', gone, unpack(ids)) end
return save_state(state, ARGV[3], #rows / 2, tonumber(numbers[1]), ver, {}, 'archived', '1', 'whole', ver)
