-- save_state.lua: write an inbox's new numbers, mark the user for SQL and tell
-- every instance where he is connected. The last act of whatever changed an inbox.
--
-- Returns {changed, unread, ver} as the reply of the script.
local function save_state(state, dirty, seq, channel, changed, unread, ver, events)
  redis.call('HSET', state, 'unread', unread, 'ver', ver)
  redis.call('ZADD', dirty, ver, seq)
  table.insert(events, 1, ver .. ' ' .. unread)
  redis.call('PUBLISH', channel, table.concat(events, '\n'))
  return {changed, unread, tonumber(ver)}
end
