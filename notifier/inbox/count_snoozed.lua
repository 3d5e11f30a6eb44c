-- count_snoozed.lua: count the snoozed entries of an archive.
--
-- shared
-- uses: is_snoozed
--
-- Returns the number.
local function count_snoozed(archive, gone, now)
  local n = 0
  for _, value in ipairs(redis.call('HVALS', archive)) do
    if is_snoozed(value, gone, now) then n = n + 1 end
  end
  return n
end
