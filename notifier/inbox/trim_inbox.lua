-- trim_inbox.lua: remove the oldest rows of an inbox.
--
-- shared
-- uses: remove_row
--
-- Returns the amount by which the unread counter falls, and the events of the removals.
local function trim_inbox(list, hash, gone, expiry, seq, ver, surplus)
  local fell, removed = 0, ''
  for _ = 1, surplus do
    local last = redis.call('LINDEX', list, -1)
    fell = fell + remove_row(list, hash, gone, expiry, seq, ver, last, -1, true)
    removed = removed .. '\nremoved ' .. last:sub(1, -12)
  end
  return fell, removed
end
