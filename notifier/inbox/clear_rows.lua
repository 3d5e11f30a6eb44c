-- clear_rows.lua: remove the rows of an inbox, with their members in expiry.
--
-- shared
-- uses: push_all
--
-- Returns nothing.
local function clear_rows(list, hash, expiry, seq)
  local members = {seq .. '|'}
  for i, field in ipairs(redis.call('HKEYS', hash)) do members[i + 1] = seq .. '|' .. field:sub(1, -12) end
  push_all('ZREM', expiry, members)
  redis.call('DEL', list, hash)
end
