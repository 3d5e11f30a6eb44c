-- remove_row.lua: take one row out of an inbox for good; its notice is gone. It leaves
-- the hash last: when a key refuses before, the next try finds the row once more.
--
-- from is 1 to look for it from the top of the list, -1 from the end.
-- Returns by how much the unread counter falls.
local function remove_row(list, hash, gone, expiry, seq, now, field, from)
  local value = redis.call('HGET', hash, field) or ''
  local id, at, expires = value:match('^(%d+) (%d+) (%d+) ')
  local left = id or value:match('^%d+')
  if left then redis.call('ZADD', gone, now, left) end
  redis.call('LREM', list, from, field)
  if not id or expires_soon(at, expires) then redis.call('ZREM', expiry, seq .. '|' .. field:sub(1, -12)) end
  redis.call('HDEL', hash, field)
  return field:byte(-1) == 48 and 1 or 0
end
