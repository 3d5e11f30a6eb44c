-- group_json.lua: what an event shows of a group, given as the lines that follow the JSON of a row: the word, and the JSON
-- of the latest actors, which may be empty.
--
-- shared
--
-- Returns the JSON of its times, others and actors.
local function group_json(lines)
  local word = lines:match('^[^\n]*')
  local times, many, list = word:match('^%a(%d+)(%+?)(.*)$')
  local seen, count, actors = {}, 0, {}
  for who in list:gmatch('=([^,]+)') do
    if not seen[who] then seen[who] = true; count = count + 1 end
  end
  for line in lines:gmatch('\n([^\n]+)') do actors[#actors + 1] = line end
  local others = many == '+' and 50 or math.max(count - 1, 0)
  return '{"times":' .. times .. ',"others":' .. others .. ',"actors":[' .. table.concat(actors, ',') .. ']}'
end
