-- seek_row.lua: find a position in an inbox by at, with a binary search.
--
-- shared
--
-- Returns the index of the first of fields (newest first) whose at is lower than before.
local function seek_row(hash, fields, before)
  local low, high = 1, #fields + 1
  while low < high do
    local mid = math.floor((low + high) / 2)
    local value = redis.call('HGET', hash, fields[mid]) or ''
    local at = tonumber(value:match('^%d+ (%d+)') or 0)
    if at < before then high = mid else low = mid + 1 end
  end
  return low
end
