-- count_rows.lua: count the rows of an inbox, and the unread ones, by type, scope or app, without writing anything.
--
-- uses: find_due, read_values, row_label
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver
-- KEYS[4] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- ARGV[1] by       type, scope or app
-- ARGV[2] now      ms
-- ARGV[3] settled  1 if expired rows have just been removed
-- ARGV[4] seq      user
--
-- Returns {0, unread, ver, then for each name, newest first: the name, its rows and its unread rows}; -1 when the
-- inbox is cold; -4 when it may contain expired rows: run expire_entries first.
local list, hash, state, expiry, by = KEYS[1], KEYS[2], KEYS[3], KEYS[4], ARGV[1]

local numbers = redis.call('HMGET', state, 'unread', 'ver')
if not numbers[2] then return -1 end
if ARGV[3] ~= '1' and find_due(expiry, ARGV[4], ARGV[2]) then return -4 end
local fields, at, values, place, counts = redis.call('LRANGE', list, 0, -1), {}, {}, {}, {}
if by ~= 'type' then
  for i = 1, #fields do at[i] = i end
  values = read_values(hash, fields, at, {})
end
for i, field in ipairs(fields) do
  local name = row_label(by, field, values[i])
  local n = place[name]
  if not n then
    n = #counts
    place[name], counts[n + 1], counts[n + 2], counts[n + 3] = n, name, 0, 0
  end
  counts[n + 2] = counts[n + 2] + 1
  if field:byte(-1) == 48 then counts[n + 3] = counts[n + 3] + 1 end
end
return {0, tonumber(numbers[1]), tonumber(numbers[2]), counts}
