-- read_row.lua: read the content that an unread inbox row shows for a notice.
--
-- shared
--
-- Returns its at, and its JSON with the lines of its group; nil when the row is read, expired, malformed, of another notice, or no longer in the
-- inbox.
local function read_row(hash, key, notice, now)
  local value = redis.call('HGET', hash, key .. ':has_read:0')
  if not value then return nil end
  local id, at, expires, json = value:match('^(%d+) (%d+) (%d+) (.*)$')
  if id ~= notice or #at > 18 or expires ~= '0' and tonumber(expires) <= now then return nil end
  return at, json
end
