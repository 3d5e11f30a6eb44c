-- event_json.lua: the JSON of an event about a row, from the stored text of the row: its content, and the lines of its
-- group. at is the version of its delivery; nil to leave it out.
--
-- shared
-- uses: group_json
--
-- Returns the JSON.
local function event_json(text, at)
  local json, lines, head = text, nil, at and '"at":' .. at .. ',' or ''
  local line = text:find('\n', 1, true)
  if line then
    json, lines = text:sub(1, line - 1), text:sub(line + 1)
    head = head .. '"group":' .. group_json(lines) .. ','
  end
  return '{' .. head .. json:sub(2)
end
