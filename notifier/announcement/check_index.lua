-- check_index.lua: compare a caller's index and its bitmaps with the stored one. An old index may legitimately list
-- bitmaps that are gone.
--
-- shared
--
-- Returns nil when it is current; -2 when it is old; -1 when aver or a bitmap is lost.
local function check_index(aver, version, bitmaps)
  local stored = redis.call('GET', aver)
  if not stored then return -1 end
  if stored ~= version then return -2 end
  if #bitmaps > 0 and redis.call('EXISTS', unpack(bitmaps)) < #bitmaps then return -1 end
end
