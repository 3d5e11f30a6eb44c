-- check_inbox.lua: make the list, the hash and the counter of an inbox agree. The list is
-- authoritative for rows, order and state: rows without a body, duplicate rows and bodies
-- without a row are removed.
--
-- uses: push_all, save_state
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened, whole
-- KEYS[4] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[5] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[6] late     users of the partition with notices that SQL does not have in their inboxes yet, by acceptance
-- ARGV[1] now      ms
-- ARGV[2] seq      user
-- ARGV[3] channel  Pub/Sub channel of this user's changes
--
-- Returns {faults, ver, 1 if SQL does not have this version yet}, where faults is 1 for rows
-- plus 2 for the counter; -1 when the inbox is cold.
local list, hash, state, expiry, dirty = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local now, seq = ARGV[1], ARGV[2]

local numbers = redis.call('HMGET', state, 'unread', 'ver')
if not numbers[2] then return -1 end
local fields, bodies = redis.call('LRANGE', list, 0, -1), {}
local all = redis.call('HGETALL', hash)
for i = 1, #all, 2 do
  if all[i + 1]:find('^%d+ %d+ %d+ ') then bodies[all[i]] = all[i + 1] end
end
local kept, keys, unread, lost = {}, {}, 0, {}
for _, field in ipairs(fields) do
  local key = field:sub(1, -12)
  if bodies[field] and field:find(':has_read:[01]$') and not keys[key] then
    kept[#kept + 1] = field; keys[key] = field
    if field:byte(-1) == 48 then unread = unread + 1 end
  end
end
for i = 1, #all, 2 do
  local key = all[i]:sub(1, -12)
  if keys[key] ~= all[i] then lost[#lost + 1] = all[i] end
  if key ~= '' and not keys[key] then redis.call('ZREM', expiry, seq .. '|' .. key) end
end
local wrong = (#kept < #fields or #lost > 0) and 1 or 0
if numbers[1] ~= string.format('%d', unread) then wrong = wrong + 2 end
if wrong == 0 then
  local marked = redis.call('ZSCORE', dirty, seq) or redis.call('ZSCORE', KEYS[6], seq)
  return {0, tonumber(numbers[2]), marked and 1 or 0}
end
local ver = string.format('%.0f', math.max(numbers[2] + 1, now))
redis.call('ZADD', dirty, ver, seq)
if wrong % 2 == 1 then
  redis.call('DEL', list)
  push_all('RPUSH', list, kept)
  push_all('HDEL', hash, lost)
end
save_state(state, ARGV[3], wrong, unread, ver, {}, 'whole', ver)
return {wrong, tonumber(ver), 1}
