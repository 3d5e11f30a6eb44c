-- delete_archived.lua: delete entries from an archive, and store their places for 10 minutes.
--
-- uses: save_state, trim_gone
--
-- KEYS[1] state    unread, ver, opened, archived
-- KEYS[2] gone     notices that left this inbox, by version
-- KEYS[3] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[4] archive  entry key → ID AT EXPIRY ARCHIVED
-- KEYS[5] deleted  entry key → ID AT EXPIRY ARCHIVED of deleted entries
-- ARGV[1] now      ms
-- ARGV[2] seq      user
-- ARGV[3] channel  Pub/Sub channel of this user's changes
-- ARGV[4..] keys   entry keys, without the state
--
-- Returns {deleted, unread, ver, key and value of each deleted entry}; -1 when the inbox is cold; -2
-- when none of the keys is in this archive. Other keys are skipped.
local state, gone, archive, deleted = KEYS[1], KEYS[2], KEYS[4], KEYS[5]
local now = tonumber(ARGV[1])

local numbers = redis.call('HMGET', state, 'unread', 'ver')
if not numbers[2] then return -1 end
local seen, places, events = {}, {}, {}
for i = 4, #ARGV do
  local key = ARGV[i]
  local value = not seen[key] and redis.call('HGET', archive, key)
  if value then
    seen[key], places[#places + 1], places[#places + 2] = true, key, value
    events[#events + 1] = 'removed ' .. key
  end
end
if #places == 0 then return -2 end
local ver = string.format('%.0f', math.max(numbers[2] + 1, now))
redis.call('ZADD', KEYS[3], ver, ARGV[2])
redis.call('ZCARD', gone) -- a key of a wrong type must fail before an entry is removed
if redis.call('HLEN', deleted) > 500 then redis.call('DEL', deleted) end
redis.call('HSET', deleted, unpack(places))
redis.call('PEXPIRE', deleted, 600000)
for i = 1, #places, 2 do
  local id = places[i + 1]:match('^%d+')
  if id then redis.call('ZADD', gone, 'NX', string.format('%.3f', ver + 0.25), id) end -- an existing retraction stays
  redis.call('HDEL', archive, places[i])
end
if redis.call('EXISTS', archive) == 0 then redis.call('HDEL', state, 'archived') end
trim_gone(gone, state, now)
local reply = save_state(state, ARGV[3], #places / 2, tonumber(numbers[1]), ver, events)
reply[4] = places
return reply
