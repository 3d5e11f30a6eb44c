-- mark_expiry.lua: record in expiry when a row of an inbox expires.
--
-- shared
-- uses: expires_soon
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
