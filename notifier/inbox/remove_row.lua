-- remove_row.lua: take one row out of an inbox for good; its notice is gone.
--
-- from is 1 to look for it from the top of the list, -1 from the end.
-- Returns by how much the unread counter falls.
local function remove_row(list, hash, gone, expiry, seq, now, field, from)
  local value = redis.call('HGET', hash, field) or ''
  local id, at, expires = value:match('^(%d+) (%d+) (%d+) ')
  redis.call('LREM', list, from, field)
  redis.call('HDEL', hash, field)
  if not id or expires_soon(at, expires) then redis.call('ZREM', expiry, seq .. '|' .. field:sub(1, -12)) end
  id = id or value:match('^%d+')
  if id then redis.call('ZADD', gone, now, id) end
  return field:byte(-1) == 48 and 1 or 0
end
