-- count_later.lua: count the snoozed entries of a user.
--
-- uses: count_snoozed
--
-- KEYS[1] state    ver, archived
-- KEYS[2] archive  entry key → ID AT EXPIRY DUE z
-- KEYS[3] gone     notices that left this inbox, by version
-- ARGV[1] now      ms
--
-- Returns {entries}; -1 when the inbox is cold.
local numbers = redis.call('HMGET', KEYS[1], 'ver', 'archived')
if not numbers[1] then return -1 end
return {numbers[2] and count_snoozed(KEYS[2], KEYS[3], tonumber(ARGV[1])) or 0}
