-- expire_entries.lua: what is expired leaves an inbox.
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened
-- KEYS[4] gone     notices that left this inbox, by time
-- KEYS[5] expiry   SEQ|KEY of the partition, by expiry
-- KEYS[6] dirty    users of the partition that SQL has not seen, by ver
-- ARGV[1] now      ms
-- ARGV[2] seq      user
-- ARGV[3] channel  where this user's changes are told
-- ARGV[4..] keys   entry keys to look at; none: all of the inbox
--
-- Returns how many entries left. A key that is not due stays, with its right
-- time in expiry; one that is not in the inbox, or the inbox is cold, leaves expiry.
local list, hash, state, gone, expiry = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local now, seq = tonumber(ARGV[1]), ARGV[2]

local names = {}
for i = 4, #ARGV do names[#names + 1] = ARGV[i] end
if #names == 0 then
  for i, field in ipairs(redis.call('LRANGE', list, 0, -1)) do names[i] = field:sub(1, -12) end
end
local numbers = redis.call('HMGET', state, 'unread', 'ver')
local unread, events = tonumber(numbers[1]), {}
for _, key in ipairs(names) do
  local field, value = find_row(hash, key)
  local expires = tonumber(value and value:match('^%d+ %d+ (%d+) ') or 0)
  if not numbers[2] or expires == 0 then
    redis.call('ZREM', expiry, seq .. '|' .. key)
  elseif expires <= now then
    unread = unread - remove_row(list, hash, gone, expiry, seq, now, field, 1)
    events[#events + 1] = 'removed ' .. key
  else
    redis.call('ZADD', expiry, string.format('%.0f', expires), seq .. '|' .. key)
  end
end
if #events == 0 then return 0 end
trim_gone(gone, now)
local ver = string.format('%.0f', math.max(numbers[2] + 1, now))
local removed = #events
save_state(state, KEYS[6], seq, ARGV[3], removed, unread, ver, events)
return removed
