-- mark_expiry.lua: note in expiry when a row of an inbox will be due.
--
-- Returns nothing.
local function mark_expiry(expiry, seq, key, at, expires)
  if expires == '0' then return end
  if expires_soon(at, expires) then
    redis.call('ZADD', expiry, expires, seq .. '|' .. key)
  else
    redis.call('ZADD', expiry, 'LT', expires, seq .. '|')
  end
end
