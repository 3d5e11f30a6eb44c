-- read_toast.lua: read the fields of a stream entry written by raise_toast.lua.
--
-- shared
--
-- Returns notice, key, ends and JSON; nil for an entry of any other form.
local function read_toast(f)
  local notice, ends = f[4] and f[4]:match('^%d+$'), f[8] and f[8]:match('^-?%d+$')
  if not notice or not ends or not f[10] or #notice > 18 then return nil end
  return notice, f[6], tonumber(ends), f[10]
end
