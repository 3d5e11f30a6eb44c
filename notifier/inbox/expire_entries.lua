-- expire_entries.lua: remove expired entries from an inbox.
--
-- uses: expires_soon, find_row, remove_row, save_state, trim_gone
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened, first
-- KEYS[4] gone     notices that left this inbox, by version
-- KEYS[5] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[6] dirty    users of the partition whose state SQL does not have yet, by ver
-- ARGV[1] now      ms
-- ARGV[2] seq      user
-- ARGV[3] channel  Pub/Sub channel of this user's changes
-- ARGV[4..] keys   entry keys to check; the empty key: the whole inbox
--
-- Returns the number of entries removed. The members of all checked rows are removed from expiry; rows that are not
-- due are added again with their correct time (see expires_soon). A key of a wrong type makes the script fail before
-- it removes anything.
local list, hash, state, gone, expiry = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local now, seq = tonumber(ARGV[1]), ARGV[2]

local numbers = redis.call('HMGET', state, 'unread', 'ver')
local unread, events, first = tonumber(numbers[1]), {}, math.huge
local ver = string.format('%.0f', math.max((numbers[2] or 0) + 1, now))
redis.call('LLEN', list)
redis.call('HLEN', hash)
redis.call('ZCARD', gone)
redis.call('ZCARD', KEYS[6])
local function look(field, value)
  local at, expires = value:match('^%d+ (%d+) (%d+) ')
  local due = tonumber(expires or 0)
  if due > now and expires_soon(at, expires) then
    redis.call('ZADD', expiry, expires, seq .. '|' .. field:sub(1, -12))
  elseif due > now then
    first = math.min(first, due)
  elseif due > 0 then
    unread = unread - remove_row(list, hash, gone, expiry, seq, ver, field, 1)
    events[#events + 1] = 'removed ' .. field:sub(1, -12)
  end
end
for i = 4, #ARGV do
  redis.call('ZREM', expiry, seq .. '|' .. ARGV[i])
  if ARGV[i] == '' then redis.call('HDEL', state, 'first') end
  local rows = ARGV[i] == '' and redis.call('HGETALL', hash) or {find_row(hash, ARGV[i])}
  for j = 1, numbers[2] and #rows or 0, 2 do look(rows[j], rows[j + 1]) end
end
if first < math.huge then redis.call('ZADD', expiry, 'LT', string.format('%.0f', first), seq .. '|') end
if #events == 0 then return 0 end
trim_gone(gone, state, now)
redis.call('ZADD', KEYS[6], ver, seq)
local removed = #events
save_state(state, ARGV[3], removed, unread, ver, events)
return removed
