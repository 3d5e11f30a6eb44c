-- deliver_notice.lua: add one notice at the top of one inbox and publish it. A key of a wrong type
-- makes the script fail before it writes anything that a retry would mistake for a delivery or
-- count again.
--
-- uses: find_row, mark_expiry, remove_row, save_state, trim_gone
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened, floor, archived
-- KEYS[4] gone     notices that left this inbox, by version
-- KEYS[5] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[6] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[7] counts   N:d (delivered) and N:r (read) per notice of the partition
-- KEYS[8] archive  entry key → ID AT EXPIRY ARCHIVED
-- ARGV[1] key      entry key, without the state
-- ARGV[2] id       notice id
-- ARGV[3] expires  ms, 0 for never
-- ARGV[4] json     content of the entry
-- ARGV[5] now      ms
-- ARGV[6] cap      maximum rows of an inbox
-- ARGV[7] seq      user
-- ARGV[8] channel  Pub/Sub channel of this user's changes
-- ARGV[9] counted  1 when the notice has more than one recipient
-- ARGV[10] again   1 when the notice is delivered again after a loss of Redis
-- ARGV[11] order   its own id, or the highest id when it was sent: it comes after that notice
--
-- Returns 1; 0 when nothing changed, because the notice was here before, was replaced by a newer one, has expired, or
-- is a redelivery not above floor; -1 when the inbox is cold.
local list, hash, state, gone, expiry = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local key, id, expires, json = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local now, cap, seq, order = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7], tonumber(ARGV[11])

local numbers = redis.call('HMGET', state, 'unread', 'ver', 'archived')
if not numbers[2] then return -1 end
if expires ~= '0' and tonumber(expires) <= now then return 0 end
local floor = ARGV[10] == '1' and redis.call('HGET', state, 'floor')
if floor and (floor == id or tonumber(floor) > order) then return 0 end
if redis.call('ZSCORE', gone, id) then return 0 end
local old, value = find_row(hash, key)
local has = old and value:match('^%d+') or '0'
if has == id or tonumber(has) > order then return 0 end
local put = numbers[3] and redis.call('HGET', KEYS[8], key)
local was = put and put:match('^%d+') or '0'
if was == id or tonumber(was) > order then return 0 end
local unread = tonumber(numbers[1]) + 1
local ver = string.format('%.0f', math.max(numbers[2] + 1, now))
local field = key .. ':has_read:0'

redis.call('LLEN', list)
redis.call('ZADD', KEYS[6], ver, seq)
if old or expires == '0' then redis.call('ZCARD', expiry) else mark_expiry(expiry, seq, key, ver, expires) end
if ARGV[9] == '1' then redis.call('HINCRBY', KEYS[7], id .. ':d', '1') end
if old then
  unread = unread - remove_row(list, hash, gone, expiry, seq, ver, old, 1)
  mark_expiry(expiry, seq, key, ver, expires)
end
if put then
  redis.call('HDEL', KEYS[8], key)
  if redis.call('EXISTS', KEYS[8]) == 0 then redis.call('HDEL', state, 'archived') end
  redis.call('ZADD', gone, 'NX', string.format('%.3f', ver + 0.25), was)
end
local length = redis.call('LPUSH', list, field)
redis.call('HSET', hash, field, id .. ' ' .. ver .. ' ' .. expires .. ' ' .. json)

local events = {'notice ' .. id .. ' ' .. key .. ' {"at":' .. ver .. ',' .. json:sub(2)}
for _ = cap + 1, length do
  local last = redis.call('LINDEX', list, -1)
  unread = unread - remove_row(list, hash, gone, expiry, seq, ver, last, -1)
  events[#events + 1] = 'removed ' .. last:sub(1, -12)
end
if old or put or length > cap then trim_gone(gone, state, now) end
save_state(state, ARGV[8], 1, unread, ver, events)
return 1
