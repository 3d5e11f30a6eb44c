-- read_group.lua: the group as XINFO shows it, and the oldest entry that is not done.
--
-- Returns a table of its fields and `oldest`, an id or nil; nil without such a group.
local last_id = '18446744073709551615-18446744073709551615' -- Redis cannot be asked for what comes after it

local function read_group(stream, group)
  if redis.call('EXISTS', stream) == 0 then return nil end
  for _, flat in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
    local g = {}
    for i = 1, #flat, 2 do g[flat[i]] = flat[i + 1] end
    if g.name == group then
      -- What is pending was read before all that is not read.
      local held = redis.call('XPENDING', stream, group, '-', '+', 1)[1]
      local read = g['last-delivered-id']
      local unread = read ~= last_id and redis.call('XRANGE', stream, '(' .. read, '+', 'COUNT', 1)[1]
      g.oldest = held and held[1] or unread and unread[1]
      return g
    end
  end
  return nil
end
