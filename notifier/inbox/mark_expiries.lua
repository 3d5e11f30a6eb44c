-- mark_expiries.lua: record in expiry when the rows of an inbox expire. rows alternates fields and
-- values.
--
-- shared
-- uses: expires_soon, push_all
--
-- Returns nothing.
local function mark_expiries(expiry, seq, rows)
  local soon, first = {}, math.huge
  for i = 1, #rows, 2 do
    local at, expires = rows[i + 1]:match('^%d+ (%d+) (%d+) ')
    if expires ~= '0' and expires_soon(at, expires) then
      soon[#soon + 1] = expires; soon[#soon + 1] = seq .. '|' .. rows[i]:sub(1, -12)
    elseif expires ~= '0' then
      first = math.min(first, expires)
    end
  end
  push_all('ZADD', expiry, soon)
  if first < math.huge then redis.call('ZADD', expiry, 'LT', string.format('%.0f', first), seq .. '|') end
end
