-- read_group.lua: read the group's fields from XINFO, and find its oldest unfinished entry.
--
-- shared
--
-- Returns a table of the fields and `oldest`, an id or nil; nil if there is no such group.
local last_id = '18446744073709551615-18446744073709551615' -- Redis refuses an exclusive range that starts here

local function read_group(stream, group)
  if redis.call('EXISTS', stream) == 0 then return nil end
  for _, flat in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
    local g = {}
    for i = 1, #flat, 2 do g[flat[i]] = flat[i + 1] end
    if g.name == group then
      -- Pending entries were read earlier, so they are older than all unread ones.
      local held = redis.call('XPENDING', stream, group, '-', '+', 1)[1]
      local read = g['last-delivered-id']
      local unread = read ~= last_id and redis.call('XRANGE', stream, '(' .. read, '+', 'COUNT', 1)[1]
      g.oldest = held and held[1] or unread and unread[1]
      return g
    end
  end
  return nil
end
