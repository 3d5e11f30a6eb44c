-- save_state.lua: write the new numbers of an inbox and publish the change to every instance where the user is
-- connected. This is the last step of a change; the first step is the dirty mark. A superfluous mark costs one read,
-- but a change without a mark never reaches SQL.
--
-- shared
--
-- More fields of state and their values may follow events.
-- Returns {changed, unread, ver} as the reply of the script.
local function save_state(state, channel, changed, unread, ver, events, ...)
  local count = string.format('%d', unread) -- faster than letting Redis convert it
  redis.call('HSET', state, 'unread', count, 'ver', ver, ...)
  table.insert(events, 1, ver .. ' ' .. count)
  redis.call('PUBLISH', channel, table.concat(events, '\n'))
  return {changed, unread, tonumber(ver)}
end
