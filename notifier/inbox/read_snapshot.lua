-- read_snapshot.lua: read an inbox in the form that SQL keeps, without the bodies. Writes nothing.
--
-- KEYS[1] list   inbox, newest first
-- KEYS[2] hash   field → ID AT EXPIRY JSON
-- KEYS[3] state  unread, ver, opened, floor, kept
-- KEYS[4] gone   notices that left this inbox, by time
-- KEYS[5] archive  entry key → ID AT EXPIRY ARCHIVED
--
-- Returns {0, unread, ver, opened, lines `FIELD ID AT EXPIRY`, words `ID SCORE` of gone, floor,
-- ids that the user keeps unread, keys and values of the archive}; -1 when the inbox is cold.
local list, hash, state, gone = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

local numbers = redis.call('HMGET', state, 'unread', 'ver', 'opened', 'floor', 'kept')
if not numbers[2] then return -1 end
local fields, lines = redis.call('LRANGE', list, 0, -1), {}
for first = 1, #fields, 1000 do
  local values = redis.call('HMGET', hash, unpack(fields, first, math.min(first + 999, #fields)))
  for i, value in ipairs(values) do
    local prefix = value and value:match('^%d+ %d+ %d+')
    if prefix then lines[#lines + 1] = fields[first + i - 1] .. ' ' .. prefix end
  end
end
local left = redis.call('ZRANGE', gone, 0, -1, 'WITHSCORES')
return {
  0, tonumber(numbers[1]), tonumber(numbers[2]), tonumber(numbers[3] or 0),
  table.concat(lines, '\n'), table.concat(left, ' '), tonumber(numbers[4] or 0), numbers[5] or '',
  redis.call('HGETALL', KEYS[5]),
}
