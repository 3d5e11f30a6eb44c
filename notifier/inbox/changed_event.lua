-- changed_event.lua: the event for a row whose value has changed.
--
-- shared
-- uses: event_json
--
-- Returns its line.
local function changed_event(field, value)
  local id, text = value:match('^(%d+) %d+ %d+ (.*)$')
  return 'changed ' .. id .. ' ' .. field:sub(1, -12) .. ' ' .. event_json(text)
end
