-- poll_inbox.lua: read the rows of an inbox delivered after a given version, without opening it or
-- writing anything.
--
-- uses: find_due, seek_row
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened
-- KEYS[4] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- ARGV[1] limit    maximum rows of a page
-- ARGV[2] now      ms
-- ARGV[3] settled  1 if expired rows have just been removed
-- ARGV[4] seq      user
-- ARGV[5] since    only rows with a higher at
-- ARGV[6] after    only rows with a lower at; 0 for all
--
-- Returns {0, unread, ver, the highest at but at least since, 1 if older rows follow, fields, values}; -1 when the
-- inbox is cold; -4 when it may contain expired rows: run expire_entries first. No row has an at above ver.
local list, hash, state, expiry = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local limit, since, after = tonumber(ARGV[1]), tonumber(ARGV[5]), tonumber(ARGV[6])

local numbers = redis.call('HMGET', state, 'unread', 'ver')
if not numbers[2] then return -1 end
if ARGV[3] ~= '1' and find_due(expiry, ARGV[4], ARGV[2]) then return -4 end
local unread, ver = tonumber(numbers[1]), tonumber(numbers[2])
local function at_of(value) return tonumber(value and value:match('^%d+ (%d+)')) end
local newest = since
if ver > since then
  local top = redis.call('LINDEX', list, 0)
  newest = top and (at_of(redis.call('HGET', hash, top)) or ver) or since -- a damaged top row must not hide the others
end
if newest <= since then return {0, unread, ver, since, 0, {}, {}} end

local fields = redis.call('LRANGE', list, 0, after > 0 and -1 or limit)
local first = after > 0 and seek_row(hash, fields, after) or 1
local page, values, n = {}, {}, 0
for i = first, math.min(first + limit, #fields) do page[#page + 1] = fields[i] end
if #page > 0 then values = redis.call('HMGET', hash, unpack(page)) end
while n < #page and (at_of(values[n + 1]) or ver) > since do n = n + 1 end
local shown = math.min(n, limit)
return {0, unread, ver, newest, n - shown, {unpack(page, 1, shown)}, {unpack(values, 1, shown)}}
