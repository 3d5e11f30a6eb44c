-- read_row.lua: what an unread row shows of a notice.
--
-- Returns its at and its JSON; nil when it is read, expired, has left the inbox, is of
-- another notice, or makes no sense.
local function read_row(hash, key, notice, now)
  local value = redis.call('HGET', hash, key .. ':has_read:0')
  if not value then return nil end
  local id, at, expires, json = value:match('^(%d+) (%d+) (%d+) (.*)$')
  if id ~= notice or #at > 18 or expires ~= '0' and tonumber(expires) <= now then return nil end
  return at, json
end
