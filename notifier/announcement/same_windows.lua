-- same_windows.lua: compare the windows of two indexes.
--
-- shared
--
-- Returns true or false.
local function same_windows(a, b)
  for id, window in pairs(a) do if b[id] ~= window then return false end end
  for id in pairs(b) do if not a[id] then return false end end
  return true
end
