-- read_upto.lua: mark every unread row delivered up to a given version as read.
--
-- uses: find_due, find_row, save_state, turn_rows
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened
-- KEYS[4] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[5] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[6] counts   N:d (delivered) and N:r (read) per notice of the partition
-- ARGV[1] upto     an at
-- ARGV[2] key      an entry key, whose at replaces upto; empty for none
-- ARGV[3] now      ms
-- ARGV[4] settled  1 if expired rows have just been removed
-- ARGV[5] seq      user
-- ARGV[6] channel  Pub/Sub channel of this user's changes
--
-- Returns {turned, unread, ver}; -1 when the inbox is cold; -2 when the key is not in this inbox; -4 when it may
-- contain expired rows: run expire_entries first.
local list, hash, state, expiry = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local upto, key, now = tonumber(ARGV[1]), ARGV[2], ARGV[3]

local numbers = redis.call('HMGET', state, 'unread', 'ver')
if not numbers[2] then return -1 end
if ARGV[4] ~= '1' and find_due(expiry, ARGV[5], now) then return -4 end
if key ~= '' then
  local _, value = find_row(hash, key)
  if not value then return -2 end
  upto = tonumber(value:match('^%d+ (%d+)') or 0)
end
local unread, turned = tonumber(numbers[1]), 0
redis.call('ZCARD', KEYS[5]) -- a key of a wrong type must fail before anything is written
local function wanted(_, value) return tonumber(value:match('^%d+ (%d+)') or 0) <= upto end
if unread > 0 then turned = turn_rows(list, hash, KEYS[6], redis.call('LRANGE', list, 0, unread), {}, unread, wanted) end
if turned == 0 then return {0, unread, tonumber(numbers[2])} end

local ver = string.format('%.0f', math.max(numbers[2] + 1, now))
redis.call('ZADD', KEYS[5], ver, ARGV[5])
local event = 'upto ' .. string.format('%.0f', math.min(upto, ver))
return save_state(state, ARGV[6], turned, unread - turned, ver, {event})
