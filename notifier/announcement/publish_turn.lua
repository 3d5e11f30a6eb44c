-- publish_turn.lua: raise the version of a changed index and publish the events. was is the previous index; versions
-- up to floor are not issued again.
--
-- shared
--
-- Returns nothing.
local function publish_turn(aver, marked, channel, was, floor, now, events)
  -- The version must also be above each reader's own: an index must be newer than every mark made on the previous
  -- one.
  local own = redis.call('ZREVRANGE', marked, 0, 0, 'WITHSCORES')[2] or 0
  local version = string.format('%.0f', math.max((was.aver or 0) + 1, own + 1, floor + 1, now))
  -- After a loss, no number may be updated from its old value: no reader can have this BEFORE.
  local before = was.lost and version or string.format('%.0f', was.aver)
  redis.call('SET', aver, version)
  table.insert(events, 1, version .. ' ' .. before)
  redis.call('PUBLISH', channel, table.concat(events, '\n'))
end
