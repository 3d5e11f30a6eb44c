-- open_inbox.lua: return the first page as it is, then mark every unread row as read, except those
-- that the user marked as unread.
--
-- uses: find_due, keep_ids, kept_ids, save_state, turn_rows
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened, kept
-- KEYS[4] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[5] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[6] counts   N:d (delivered) and N:r (read) per notice of the partition
-- KEYS[7] idle     users of the partition by last use
-- KEYS[8] gone     notices that left this inbox, by version
-- KEYS[9] archive  entry key → ID AT EXPIRY ARCHIVED
-- ARGV[1] limit    maximum rows of a page
-- ARGV[2] now      ms
-- ARGV[3] settled  1 if expired rows have just been removed
-- ARGV[4] seq      user
-- ARGV[5] channel  Pub/Sub channel of this user's changes
--
-- Returns {turned, unread and ver after opening, opened before it, 1 if older rows follow, fields, values, ids of
-- rows that the user marked as unread}; -1 when the inbox is cold; -4 when it may contain expired rows: run
-- expire_entries first. A deleted row stays marked as unread, for an undo, and so does an archived one.
local list, hash, state, expiry = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local limit, now, seq = tonumber(ARGV[1]), ARGV[2], ARGV[4]

local numbers = redis.call('HMGET', state, 'unread', 'ver', 'opened', 'kept')
if not numbers[2] then return -1 end
if ARGV[3] ~= '1' and find_due(expiry, seq, now) then return -4 end
local unread, opened = tonumber(numbers[1]), tonumber(numbers[3])
local fields = redis.call('LRANGE', list, 0, math.max(limit, unread))
local page, values = {}, {}
for i = 1, math.min(limit, #fields) do page[i] = fields[i] end
if #page > 0 then values = redis.call('HMGET', hash, unpack(page)) end
local more = #fields > limit and 1 or 0
if unread == 0 then return {0, 0, tonumber(numbers[2]), opened, more, page, values, ''} end

local ver = string.format('%.0f', math.max(numbers[2] + 1, now))
redis.call('ZADD', KEYS[7], now, seq)
if not numbers[4] then
  redis.call('ZADD', KEYS[5], ver, seq)
  local turned = turn_rows(list, hash, KEYS[6], fields, values, unread)
  save_state(state, ARGV[5], turned, 0, ver, {'upto ' .. ver}, 'opened', ver)
  return {turned, 0, tonumber(ver), opened, more, page, values, ''}
end

local ids, kept = kept_ids(numbers[4])
local still, events = {}, {'upto ' .. ver}
redis.call('ZCARD', KEYS[5]) -- a key of a wrong type must fail before anything is written
local archived = redis.call('HVALS', KEYS[9])
local turned = turn_rows(list, hash, KEYS[6], fields, values, unread, function(field, value)
  local id = value:match('^%d+')
  if not kept[id] then return true end
  still[id], events[#events + 1] = true, 'unread ' .. field:sub(1, -12)
end)
local left = #events - 1
if turned == 0 and left == unread then return {0, unread, tonumber(numbers[2]), opened, more, page, values, numbers[4]} end
redis.call('ZADD', KEYS[5], ver, seq)
for _, value in ipairs(archived) do still[value:match('^%d+') or ''] = true end
for _, id in ipairs(ids) do still[id] = still[id] or redis.call('ZSCORE', KEYS[8], id) end
keep_ids(state, ids, still)
save_state(state, ARGV[5], turned, left, ver, events, 'opened', ver)
return {turned, left, tonumber(ver), opened, more, page, values, numbers[4]}
