-- tell_turn.lua: raise the version of an index that has changed, and tell what
-- happened. was is the index before; no version up to floor is given again.
--
-- Returns nothing.
local function tell_turn(aver, marked, channel, was, floor, now, events)
  -- Above each reader's own version too: an index is newer than all that was done on the one before it.
  local own = redis.call('ZREVRANGE', marked, 0, 0, 'WITHSCORES')[2] or 0
  local version = string.format('%.0f', math.max((was.aver or 0) + 1, own + 1, floor + 1, now))
  -- After a loss nobody's number may be moved on from what it was: BEFORE is out of reach.
  local before = was.lost and version or string.format('%.0f', was.aver)
  redis.call('SET', aver, version)
  table.insert(events, 1, version .. ' ' .. before)
  redis.call('PUBLISH', channel, table.concat(events, '\n'))
end
