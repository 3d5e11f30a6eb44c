-- reads_from.lua: find the edit since which a bitmap counts reads. The bitmap contains no read from before that edit.
--
-- shared
--
-- Returns the revision of the edit, or 0 if the bitmap counts all reads.
local function reads_from(dirty, id)
  return -tonumber(redis.call('ZSCORE', dirty, id) or 0)
end
