-- row_label.lua: the type, scope or app of a row of an inbox, as by says; empty if it has none. The type is in its key;
-- the scope follows the type in its content, and has no characters that JSON escapes. Only the data of the sender, which come
-- later than the app, may have a member of that name.
--
-- shared
--
-- Returns the name.
local function row_label(by, field, value)
  if by == 'type' then
    local first = field:match('^[^:]*')
    return first:match('/(.*)$') or first
  end
  value = value or ''
  if by == 'scope' then
    local _, stop = value:find('"type":"[^"]*"')
    return stop and value:match('^,"scope":"([^"]*)"', stop + 1) or ''
  end
  local at, data = value:find(',"app":"', 1, true), value:find(',"data":{', 1, true)
  if not at or data and data < at then return '' end
  local stop = value:find('["\\]', at + 8)
  while value:byte(stop) == 92 do stop = value:find('["\\]', stop + 2) end
  return cjson.decode('[' .. value:sub(at + 7, stop) .. ']')[1]
end
