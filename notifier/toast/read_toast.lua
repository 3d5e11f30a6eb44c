-- read_toast.lua: what raise_toast.lua wrote into an entry.
--
-- Returns notice, key, ends and JSON; nil when it wrote nothing like this.
local function read_toast(f)
  local notice, ends = f[4] and f[4]:match('^%d+$'), f[8] and f[8]:match('^-?%d+$')
  if not notice or not ends or not f[10] or #notice > 18 then return nil end
  return notice, f[6], tonumber(ends), f[10]
end
