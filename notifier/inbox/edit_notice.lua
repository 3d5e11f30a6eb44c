-- edit_notice.lua: give a row the edited content of its notice. Nothing else changes except the
-- version of the inbox.
--
-- uses: event_json, find_notice, find_row, save_state, shares_row
--
-- KEYS[1] hash     field → ID AT EXPIRY JSON
-- KEYS[2] state    unread, ver, opened
-- KEYS[3] dirty    users of the partition whose state SQL does not have yet, by ver
-- ARGV[1] key      entry key, without the state
-- ARGV[2] id       notice id
-- ARGV[3] rev      revision of the notice; only rows with a lower one change
-- ARGV[4] text     content of the entry, of which a rev above 0 is the first field; and the lines of its group, see
--                  group_json
-- ARGV[5] now      ms
-- ARGV[6] seq      user
-- ARGV[7] channel  Pub/Sub channel of this user's changes
--
-- Returns 1; 0 when nothing changed, because the notice is not here or already has this or a later revision. A cold
-- inbox is skipped: it is restored with the content from SQL. -6 when the row stands for other notices, too.
local hash, state, dirty = KEYS[1], KEYS[2], KEYS[3]
local key, id, rev, text = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]

local numbers = redis.call('HMGET', state, 'unread', 'ver')
if not numbers[2] then return 0 end
local field, value = find_notice(hash, key, id)
local shared = field and value or not field and select(2, find_row(hash, key))
if shared and shares_row(shared, id) then return -6 end
if not field then return 0 end
local head = value:match('^%d+ %d+ %d+ ')
if not head or tonumber(value:match('^{"rev":(%d+)', #head + 1) or 0) >= rev then return 0 end
local ver = string.format('%.0f', math.max(numbers[2] + 1, ARGV[5]))
redis.call('ZADD', dirty, ver, ARGV[6])
redis.call('HSET', hash, field, head .. text)
save_state(state, ARGV[7], 1, numbers[1], ver, {'changed ' .. id .. ' ' .. field:sub(1, -12) .. ' ' .. event_json(text)})
return 1
