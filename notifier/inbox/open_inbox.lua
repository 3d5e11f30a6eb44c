-- open_inbox.lua: the first page as it was, and every unread row turned to read.
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened
-- KEYS[4] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[5] dirty    users of the partition that SQL has not seen, by ver
-- KEYS[6] counts   N:d and N:r of the partition
-- KEYS[7] idle     users of the partition by last use
-- ARGV[1] limit    rows of a page
-- ARGV[2] now      ms
-- ARGV[3] settled  1 when what expired by now has left this inbox
-- ARGV[4] seq      user
-- ARGV[5] channel  where this user's changes are told
--
-- Returns {turned, unread and ver after, opened before, 1 when older rows
-- follow, fields, values}; -1 when the inbox is cold; -4 when it may hold
-- expired rows: expire_entries comes first.
local list, hash, state, expiry = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local limit, now, seq = tonumber(ARGV[1]), ARGV[2], ARGV[4]

local numbers = redis.call('HMGET', state, 'unread', 'ver', 'opened')
if not numbers[2] then return -1 end
if ARGV[3] ~= '1' and find_due(expiry, seq, now) then return -4 end
local unread, opened = tonumber(numbers[1]), tonumber(numbers[3])
local fields = redis.call('LRANGE', list, 0, math.max(limit, unread))
local page, values = {}, {}
for i = 1, math.min(limit, #fields) do page[i] = fields[i] end
if #page > 0 then values = redis.call('HMGET', hash, unpack(page)) end
local more = #fields > limit and 1 or 0
if unread == 0 then return {0, 0, tonumber(numbers[2]), opened, more, page, values} end

local ver = string.format('%.0f', math.max(numbers[2] + 1, now))
redis.call('ZADD', KEYS[5], ver, seq)
redis.call('ZADD', KEYS[7], now, seq)
local turned = turn_rows(list, hash, KEYS[6], fields, values, unread)
save_state(state, ARGV[5], turned, 0, ver, {'upto ' .. ver}, 'opened', ver)
return {turned, 0, tonumber(ver), opened, more, page, values}
