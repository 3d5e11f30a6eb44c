-- read_snapshot.lua: read the changes of an inbox since SQL stored it, without the bodies. Writes
-- nothing.
--
-- In Redis, reading the numbers before 200 bodies is six times slower than reading 200 fields. Rows are in the order
-- of their AT, and a row keeps its numbers, so SQL has the numbers of all rows up to its version, unless a later
-- change put rows back into the middle: that sets `whole`. The same applies to gone, whose scores are versions.
--
-- uses: shares_row
--
-- KEYS[1] list   inbox, newest first
-- KEYS[2] hash   field → ID AT EXPIRY JSON
-- KEYS[3] state  unread, ver, opened, floor, kept, whole, archived
-- KEYS[4] gone   notices that left this inbox, by version
-- KEYS[5] archive  entry key → ID AT EXPIRY ARCHIVED
-- ARGV[1] since  version that SQL has; 0 to read everything
--
-- Returns {0, unread, ver, opened, fields, heads `ID AT EXPIRY [WORD]` of the first fields (`-` for a row
-- without them), words `ID SCORE` of the notices that left after since, length of gone, floor,
-- ids that the user keeps unread, keys and values of the archive}; -1 when the inbox is cold. heads has all rows
-- later than since.
local list, hash, state, gone = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local since = tonumber(ARGV[1])

local numbers = redis.call('HMGET', state, 'unread', 'ver', 'opened', 'floor', 'kept', 'whole', 'archived')
if not numbers[2] then return -1 end
if tonumber(numbers[2]) < since or tonumber(numbers[6] or 0) > since then since = 0 end
local fields, heads = redis.call('LRANGE', list, 0, -1), {}
local size, known = since == 0 and 1000 or 4, false
while not known and #heads < #fields do
  local values = redis.call('HMGET', hash, unpack(fields, #heads + 1, math.min(#heads + size, #fields)))
  for _, value in ipairs(values) do
    local head, at = '-', nil
    if value then head, at = value:match('^(%d+ (%d+) %d+)') end
    local group = head ~= '-' and head and shares_row(value)
    if group then head = head .. ' ' .. group end
    heads[#heads + 1] = head or '-'
    known = known or at and tonumber(at) <= since
  end
  size = math.min(4 * size, 1000)
end
local left, length = {}, redis.call('ZCARD', gone)
if length > 0 then
  local after = since == 0 and '-inf' or string.format('%.0f', since + 1)
  left = redis.call('ZRANGEBYSCORE', gone, after, '+inf', 'WITHSCORES')
end
return {
  0, tonumber(numbers[1]), tonumber(numbers[2]), tonumber(numbers[3] or 0),
  table.concat(fields, '\n'), table.concat(heads, '\n'), table.concat(left, ' '),
  length, tonumber(numbers[4] or 0), numbers[5] or '',
  numbers[7] and redis.call('HGETALL', KEYS[5]) or {},
}
