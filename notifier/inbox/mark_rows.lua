-- mark_rows.lua: mark entries as read or unread. An entry that the user marks as unread stays unread when the inbox
-- is opened.
--
-- uses: find_row, keep_ids, kept_ids, save_state
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened, kept
-- KEYS[4] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[5] counts   N:d (delivered) and N:r (read) per notice of the partition
-- ARGV[1] to       the state to reach: 0 unread, 1 read
-- ARGV[2] now      ms
-- ARGV[3] seq      user
-- ARGV[4] channel  Pub/Sub channel of this user's changes
-- ARGV[5] keep     1 to keep the entries unread
-- ARGV[6] id       id that the entries' notice must have; 0 for any
-- ARGV[7..] keys   entry keys, without the state
--
-- Returns {changed, unread, ver, keys of the entries that were in the other state}; -1 when the
-- inbox is cold; -2 when none of the keys is in this inbox and belongs to the notice. Other keys are
-- skipped.
local list, hash, state, counts = KEYS[1], KEYS[2], KEYS[3], KEYS[5]
local to, now = ARGV[1], ARGV[2]

local numbers = redis.call('HMGET', state, 'unread', 'ver', 'kept')
if not numbers[2] then return -1 end
local unread, ids, kept = tonumber(numbers[1]), kept_ids(numbers[3])
local found, seen, rows, turned, events = false, {}, {}, {}, {}
for i = 7, #ARGV do
  local key = ARGV[i]
  local field, value = find_row(hash, key)
  local id = value and value:match('^%d+') or '0'
  if field and not seen[field] and (ARGV[6] == '0' or ARGV[6] == id) then
    found, seen[field] = true, true
    local turns, keeps = field:sub(-1) ~= to, ARGV[5] == '1' and not kept[id]
    if turns then turned[#turned + 1], rows[#rows + 1] = key, {field, value, id} end
    if turns or keeps then events[#events + 1] = (to == '1' and 'read ' or 'unread ') .. key end
    if keeps then ids[#ids + 1], kept[id] = id, true elseif turns and to == '1' then kept[id] = nil end
  end
end
if not found then return -2 end
if #events == 0 then return {0, unread, tonumber(numbers[2]), turned} end

redis.call('LLEN', list) -- a key of a wrong type must fail before anything is written
redis.call('HEXISTS', counts, '')
local ver, step = string.format('%.0f', math.max(numbers[2] + 1, now)), to == '1' and 1 or -1
redis.call('ZADD', KEYS[4], ver, ARGV[3])
for i, row in ipairs(rows) do
  local field, value, id = unpack(row)
  local place, new = redis.call('LPOS', list, field), turned[i] .. ':has_read:' .. to
  if redis.call('HEXISTS', counts, id .. ':d') == 1 then redis.call('HINCRBY', counts, id .. ':r', step) end
  if place then redis.call('LSET', list, place, new) end
  redis.call('HDEL', hash, field)
  redis.call('HSET', hash, new, value)
end
keep_ids(state, ids, kept)
local reply = save_state(state, ARGV[4], #events, unread - step * #rows, ver, events)
reply[4] = turned
return reply
