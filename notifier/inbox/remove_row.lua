-- remove_row.lua: permanently remove one row from an inbox and add its notice to gone. The row is removed from the
-- hash last: if a key of a wrong type fails before that, a retry still finds the row. The score in gone is the
-- version of the change, so a later change never adds in front of an earlier one, even if clocks differ. Its fraction
-- records the state in which the row left, so that an undo need not trust its caller: 0.25 for read and 0.125 for
-- unread. It is 0.0625 more for a row that had to make room.
--
-- shared
-- uses: expires_soon
--
-- from is 1 to search the list from the top, -1 from the end. crowded: it makes room.
-- Returns the amount by which the unread counter falls.
local function remove_row(list, hash, gone, expiry, seq, ver, field, from, crowded)
  local value = redis.call('HGET', hash, field) or ''
  local id, at, expires = value:match('^(%d+) (%d+) (%d+) ')
  local left = id or value:match('^%d+')
  local unread = field:byte(-1) == 48
  if left then redis.call('ZADD', gone, string.format('%.4f', ver + (unread and 0.125 or 0.25) + (crowded and 0.0625 or 0)), left) end
  redis.call('LREM', list, from, field)
  if not id or expires_soon(at, expires) then redis.call('ZREM', expiry, seq .. '|' .. field:sub(1, -12)) end
  redis.call('HDEL', hash, field)
  return unread and 1 or 0
end
