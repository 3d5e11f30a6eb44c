-- kept_ids.lua: parse the ids of the notices that the user marked unread, from a field of state.
--
-- shared
--
-- Returns the ids in the order in which they were marked, and a set of them.
local function kept_ids(text)
  local ids, kept = {}, {}
  for id in (text or ''):gmatch('%d+') do ids[#ids + 1] = id; kept[id] = true end
  return ids, kept
end
