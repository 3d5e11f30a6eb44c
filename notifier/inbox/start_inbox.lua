-- start_inbox.lua: make a cold inbox an empty warm one.
--
-- KEYS[1] list   inbox, newest first
-- KEYS[2] hash   field → ID AT EXPIRY JSON
-- KEYS[3] state  unread, ver, opened
-- ARGV[1] now    ms
--
-- Returns {1, unread, ver}, with 0 first when the inbox was warm already.
local list, hash, state, now = KEYS[1], KEYS[2], KEYS[3], ARGV[1]

local numbers = redis.call('HMGET', state, 'unread', 'ver')
if numbers[2] then return {0, tonumber(numbers[1]), tonumber(numbers[2])} end
redis.call('DEL', list, hash)
redis.call('HSET', state, 'unread', 0, 'ver', now, 'opened', 0)
return {1, 0, tonumber(now)}
