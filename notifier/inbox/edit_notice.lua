-- edit_notice.lua: a row shows what its notice says by now. All else of it stays, but
-- for the version of the inbox.
--
-- KEYS[1] hash     field → ID AT EXPIRY JSON
-- KEYS[2] state    unread, ver, opened
-- KEYS[3] dirty    users of the partition that SQL has not seen, by ver
-- ARGV[1] key      entry key, without the state
-- ARGV[2] id       notice id
-- ARGV[3] rev      of the notice; the rows of an older one change
-- ARGV[4] json     what the entry shows; rev, above 0, is first in it
-- ARGV[5] now      ms
-- ARGV[6] seq      user
-- ARGV[7] channel  where this user's changes are told
--
-- Returns 1; 0 when nothing changed: the notice is not here, or in this revision or a
-- later one. A cold inbox is none of it: it comes back with what SQL has.
local hash, state, dirty = KEYS[1], KEYS[2], KEYS[3]
local key, id, rev, json = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]

local numbers = redis.call('HMGET', state, 'unread', 'ver')
if not numbers[2] then return 0 end
local field, value = find_row(hash, key)
if not field or value:match('^%d+') ~= id then return 0 end
local head = value:match('^%d+ %d+ %d+ ')
if not head or tonumber(value:match('^{"rev":(%d+)', #head + 1) or 0) >= rev then return 0 end
local ver = string.format('%.0f', math.max(numbers[2] + 1, ARGV[5]))
redis.call('ZADD', dirty, ver, ARGV[6])
redis.call('HSET', hash, field, head .. json)
save_state(state, ARGV[7], 1, numbers[1], ver, {'changed ' .. id .. ' ' .. key .. ' ' .. json})
return 1
