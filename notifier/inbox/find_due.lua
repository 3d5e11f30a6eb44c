-- find_due.lua: whether an inbox may hold rows that are expired by now. Those
-- of its neighbours, which the sweep will take within a second, do not count.
-- A due SEQ| says so too: one of the rows that share it is due, or was.
--
-- Returns true or false; true also when too many are due to look at each.
local function find_due(expiry, seq, now)
  local due = redis.call('ZRANGEBYSCORE', expiry, '-inf', now, 'LIMIT', 0, 100)
  for _, member in ipairs(due) do
    if member:sub(1, #seq + 1) == seq .. '|' then return true end
  end
  return #due == 100
end
