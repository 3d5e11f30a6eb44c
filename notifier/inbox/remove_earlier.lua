-- remove_earlier.lua: remove the earlier entries with the key of a notice from the inbox and the archive. Keys of wrong
-- types fail before anything is removed.
--
-- shared
-- uses: remove_row
--
-- old is the field of the row, was the id of the archived entry; nil: there is none.
-- Returns the amount by which the unread counter falls.
local function remove_earlier(n, list, hash, state, gone, archive, expiry, seq, ver, old, was)
  redis.call('LLEN', list)
  redis.call('ZCARD', expiry)
  local fell = old and remove_row(list, hash, gone, expiry, seq, ver, old, 1) or 0
  if was then
    redis.call('HDEL', archive, n.key)
    if redis.call('EXISTS', archive) == 0 then redis.call('HDEL', state, 'archived') end
    redis.call('ZADD', gone, 'NX', string.format('%.3f', ver + 0.25), was)
  end
  return fell
end
