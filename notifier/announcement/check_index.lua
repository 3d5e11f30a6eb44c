-- check_index.lua: whether a caller's index, with these bitmaps, is the one that
-- is stored. An old one may know bitmaps that are rightly gone.
--
-- Returns nil when it is; -2 when it is old; -1 when aver or a bitmap is lost.
local function check_index(aver, version, bitmaps)
  local stored = redis.call('GET', aver)
  if not stored then return -1 end
  if stored ~= version then return -2 end
  if #bitmaps > 0 and redis.call('EXISTS', unpack(bitmaps)) < #bitmaps then return -1 end
end
