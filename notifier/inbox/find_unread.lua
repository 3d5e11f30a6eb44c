-- find_unread.lua: find the unread rows among fields, the top of an inbox; if some are missing
-- there, search the whole list.
--
-- shared
--
-- Returns their indexes, and the rows searched.
local function find_unread(list, fields, unread)
  local at, byte = {}, string.byte
  for i = 1, #fields do
    if byte(fields[i], -1) == 48 then at[#at + 1] = i end
  end
  if #at < unread and #fields < redis.call('LLEN', list) then
    return find_unread(list, redis.call('LRANGE', list, 0, -1), unread)
  end
  return at, fields
end
