-- read_archive.lua: read the archive of an inbox.
--
-- KEYS[1] state    unread, ver, opened
-- KEYS[2] archive  entry key → ID AT EXPIRY ARCHIVED
--
-- Returns {0, unread, ver, keys and values}; -1 when the inbox is cold.
local state, archive = KEYS[1], KEYS[2]

local numbers = redis.call('HMGET', state, 'unread', 'ver')
if not numbers[2] then return -1 end
return {0, tonumber(numbers[1]), tonumber(numbers[2]), redis.call('HGETALL', archive)}
