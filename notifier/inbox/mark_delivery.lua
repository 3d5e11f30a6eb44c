-- mark_delivery.lua: mark a user for the write to SQL, and record when the new row expires. The fields late and first of
-- state say that this is already done.
--
-- shared
-- uses: expires_soon, mark_expiry
--
-- n is the notice, with its key, expires, lasts (expires as a number) and accepted (0: mark the user as dirty).
-- Returns the fields of state that change, and their values.
local function mark_delivery(n, dirty, late, expiry, now, seq, ver, marked, first)
  local more = {}
  if n.accepted == 0 then
    redis.call('ZADD', dirty, ver, seq)
  elseif not marked or tonumber(marked) > n.accepted then
    local accepted = string.format('%.0f', n.accepted)
    redis.call('ZADD', late, accepted, seq)
    more = {'late', accepted}
  end
  if n.lasts == 0 then return more end
  local shares, known = not expires_soon(ver, n.expires), tonumber(first or 0)
  if shares and known > now and known <= n.lasts then return more end
  mark_expiry(expiry, seq, n.key, ver, n.expires)
  if shares then more[#more + 1] = 'first'; more[#more + 1] = redis.call('ZSCORE', expiry, seq .. '|') end
  return more
end
