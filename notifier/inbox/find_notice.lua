-- find_notice.lua: find the entry of a notice by its key. During an upgrade, an older instance, without separate keys
-- for apps, may have delivered it under the key without the app.
--
-- shared
-- uses: find_row
--
-- Returns its field and value, or nothing when the notice is not in the inbox.
local function find_notice(hash, key, id)
  local field, value = find_row(hash, key)
  if field and value:match('^%d+') == id then return field, value end
  local plain, apps = key:gsub('^a%d+/', '')
  if apps == 0 then return end
  field, value = find_row(hash, plain)
  if field and value:match('^%d+') == id then return field, value end
end
