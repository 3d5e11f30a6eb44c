-- save_state.lua: write an inbox's new numbers, mark the user for SQL and tell
-- every instance where he is connected. The last act of whatever changed an inbox.
--
-- More fields of state and their values may follow events.
-- Returns {changed, unread, ver} as the reply of the script.
local function save_state(state, dirty, seq, channel, changed, unread, ver, events, ...)
  local count = string.format('%d', unread) -- Redis takes longer over it
  redis.call('HSET', state, 'unread', count, 'ver', ver, ...)
  redis.call('ZADD', dirty, ver, seq)
  table.insert(events, 1, ver .. ' ' .. count)
  redis.call('PUBLISH', channel, table.concat(events, '\n'))
  return {changed, unread, tonumber(ver)}
end
