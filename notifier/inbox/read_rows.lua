-- read_rows.lua: mark as read those unread rows of an inbox for which wanted(field, value) is true, and
-- publish the change once.
--
-- shared
-- uses: save_state, turn_rows
--
-- Returns {turned, unread, ver} as the reply of the script.
local function read_rows(list, hash, state, dirty, counts, now, seq, channel, wanted)
  local numbers = redis.call('HMGET', state, 'unread', 'ver')
  local unread, turned, fields = tonumber(numbers[1]), 0, {}
  redis.call('ZCARD', dirty) -- a key of a wrong type must fail before anything is written
  if unread > 0 then turned, fields = turn_rows(list, hash, counts, redis.call('LRANGE', list, 0, unread), {}, unread, wanted) end
  if turned == 0 then return {0, unread, tonumber(numbers[2])} end
  local ver = string.format('%.0f', math.max(numbers[2] + 1, now))
  redis.call('ZADD', dirty, ver, seq)
  local events = {}
  for i, field in ipairs(fields) do events[i] = 'read ' .. field:sub(1, -12) end
  return save_state(state, channel, turned, unread - turned, ver, events)
end
