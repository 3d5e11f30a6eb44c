-- is_snoozed.lua: whether an archived entry is snoozed, and its notice has neither expired nor been retracted. Of an entry
-- that stands for several notices, another one may take the place of a retracted one.
--
-- shared
--
-- Returns true, or false or nil.
local function is_snoozed(value, gone, now)
  local id, expires, group = value:match('^(%d+) %d+ (%d+) %d+ z(%a?)')
  if not id or expires ~= '0' and tonumber(expires) <= now then return false end
  return group ~= '' or (redis.call('ZSCORE', gone, id) or 0) % 1 < 0.5
end
