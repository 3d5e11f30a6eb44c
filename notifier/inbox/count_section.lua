-- count_section.lua: count the unread rows of given types, a scope and an app, without writing anything.
--
-- uses: find_due, find_unread, match_section, read_values
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver
-- KEYS[4] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- ARGV[1] types    a list with commas before, between and after its elements; empty for any
-- ARGV[2] scope    a scope after =; empty for any
-- ARGV[3] app      the name of an app after =; empty for any
-- ARGV[4] now      ms
-- ARGV[5] settled  1 if expired rows have just been removed
-- ARGV[6] seq      user
--
-- Returns {0, unread rows of them, ver}; -1 when the inbox is cold; -4 when it may contain expired rows: run
-- expire_entries first.
local list, hash, state, expiry = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local types, scope, app = ARGV[1], ARGV[2], ARGV[3]

local numbers = redis.call('HMGET', state, 'unread', 'ver')
if not numbers[2] then return -1 end
if ARGV[5] ~= '1' and find_due(expiry, ARGV[6], ARGV[4]) then return -4 end
local unread, count, values = tonumber(numbers[1]), 0, {}
if unread == 0 then return {0, 0, tonumber(numbers[2])} end
local at, fields = find_unread(list, redis.call('LRANGE', list, 0, unread), unread)
local matches, needs = match_section(types, scope, app)
if needs then values = read_values(hash, fields, at, {}) end
for _, i in ipairs(at) do
  if matches(fields[i], values[i]) then count = count + 1 end
end
return {0, count, tonumber(numbers[2])}
