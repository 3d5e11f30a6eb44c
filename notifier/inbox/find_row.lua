-- find_row.lua: find the entry of a key in either state.
--
-- shared
--
-- Returns its field and value, or nothing when the key is not in the inbox.
local function find_row(hash, key)
  local unread, read = key .. ':has_read:0', key .. ':has_read:1'
  local values = redis.call('HMGET', hash, unread, read)
  if values[1] then return unread, values[1] end
  if values[2] then return read, values[2] end
end
