-- read_page.lua: read one page of an inbox, without opening it or writing anything.
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
-- ARGV[5] before   only rows with a lower at; 0 for all
-- ARGV[6] filter   1 for unread rows only
--
-- Returns {0, unread, ver, opened, 1 if older rows follow, fields, values}; -1 when the inbox is cold; -4 when it may
-- contain expired rows: run expire_entries first.
local list, hash, state, expiry = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local limit, before = tonumber(ARGV[1]), tonumber(ARGV[5])

local numbers = redis.call('HMGET', state, 'unread', 'ver', 'opened')
if not numbers[2] then return -1 end
if ARGV[3] ~= '1' and find_due(expiry, ARGV[4], ARGV[2]) then return -4 end
local whole = before > 0 or ARGV[6] == '1'
local fields = redis.call('LRANGE', list, 0, whole and -1 or limit)
if ARGV[6] == '1' then
  local kept = {}
  for _, field in ipairs(fields) do
    if field:byte(-1) == 48 then kept[#kept + 1] = field end
  end
  fields = kept
end
local first = before > 0 and seek_row(hash, fields, before) or 1
local page, values = {}, {}
for i = first, math.min(first + limit - 1, #fields) do page[#page + 1] = fields[i] end
if #page > 0 then values = redis.call('HMGET', hash, unpack(page)) end
local more = first + limit <= #fields and 1 or 0
return {0, tonumber(numbers[1]), tonumber(numbers[2]), tonumber(numbers[3]), more, page, values}
