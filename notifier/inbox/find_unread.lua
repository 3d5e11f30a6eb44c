-- find_unread.lua: the unread rows among fields, the top of an inbox; when that
-- is not all of them, those of the whole list.
--
-- Returns the fields that are unread, their indexes, and the rows looked at.
local function find_unread(list, fields, unread)
  local from, at = {}, {}
  for i, field in ipairs(fields) do
    if field:byte(-1) == 48 then from[#from + 1] = field; at[#at + 1] = i end
  end
  if #from < unread and #fields < redis.call('LLEN', list) then
    return find_unread(list, redis.call('LRANGE', list, 0, -1), unread)
  end
  return from, at, fields
end
