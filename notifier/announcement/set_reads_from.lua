-- set_reads_from.lua: store the revision of the edit since which a bitmap counts reads.
--
-- shared
--
-- Returns nothing.
local function set_reads_from(dirty, id, from)
  if tonumber(from) > 0 then redis.call('ZADD', dirty, -tonumber(from), id) else redis.call('ZREM', dirty, id) end
end
