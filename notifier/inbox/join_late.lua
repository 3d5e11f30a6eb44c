-- join_late.lua: add a notice to the group of an unread row that a later notice has. The row keeps its place and its words.
--
-- shared
-- uses: changed_event, join_group, trim_gone
--
-- n is the notice, see join_group; field and value are the row, numbers the unread counter and the version of the inbox.
-- Returns 0, because the notice has no row of its own; and true.
local function join_late(n, hash, state, gone, dirty, now, seq, channel, field, value, numbers)
  local ver = string.format('%.0f', math.max(numbers[2] + 1, now))
  redis.call('ZCARD', gone) -- a key of a wrong type must fail before anything is written
  redis.call('ZADD', dirty, ver, seq)
  value = value:match('^[^\n]*') .. '\n' .. join_group(n, value, true)
  redis.call('HSET', hash, field, value)
  redis.call('ZADD', gone, string.format('%.3f', ver + 0.125), n.id)
  trim_gone(gone, state, now)
  redis.call('HSET', state, 'ver', ver, 'whole', ver)
  redis.call('PUBLISH', channel, ver .. ' ' .. numbers[1] .. '\n' .. changed_event(field, value))
  return 0, true
end
