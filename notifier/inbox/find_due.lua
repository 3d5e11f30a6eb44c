-- find_due.lua: whether an inbox may contain expired rows. Expired rows of other inboxes in the partition, which the
-- sweep removes within a second, do not count. A due member SEQ| counts: one of the rows that share it is or was due.
--
-- shared
--
-- Returns true or false; also true when too many members are due to check each.
local function find_due(expiry, seq, now)
  local due = redis.call('ZRANGEBYSCORE', expiry, '-inf', now, 'LIMIT', 0, 100)
  for _, member in ipairs(due) do
    if member:sub(1, #seq + 1) == seq .. '|' then return true end
  end
  return #due == 100
end
