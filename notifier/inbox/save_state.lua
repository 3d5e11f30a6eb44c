-- save_state.lua: write an inbox's new numbers and tell every instance where its user
-- is connected. The last act of whatever changed an inbox; the first is that it marks
-- him for SQL, in dirty: a mark too many costs a look, a change without one is lost.
--
-- More fields of state and their values may follow events.
-- Returns {changed, unread, ver} as the reply of the script.
local function save_state(state, channel, changed, unread, ver, events, ...)
  local count = string.format('%d', unread) -- Redis takes longer over it
  redis.call('HSET', state, 'unread', count, 'ver', ver, ...)
  table.insert(events, 1, ver .. ' ' .. count)
  redis.call('PUBLISH', channel, table.concat(events, '\n'))
  return {changed, unread, tonumber(ver)}
end
