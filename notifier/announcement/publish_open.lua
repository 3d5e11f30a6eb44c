-- publish_open.lua: add to events the change of an announcement that has been open for age ms; was is the previous
-- index. `open` means that it is new to all readers. If some may have read it before, it is `changed`: numbers must
-- not rise, and no toast may be shown. reset: an edit marked it as unread for all users. If the index was lost, only
-- recent announcements are published: readers already have the others.
--
-- shared
--
-- Returns nothing.
local function publish_open(events, was, id, window, bits, json, age, reset)
  local before, kind = was.window[id], 'changed'
  local function content(w) return (w:gsub(' %d+%-', ' ')) end -- an edit may leave the published content unchanged
  if was.open[id] and before and content(before) == content(window) and not reset then return end
  local top = window:match('^%d+ %d+ (%d+)')
  if not was.open[id] then
    if reset or redis.call('BITCOUNT', bits) == 1 then kind = 'open' end
  elseif before and top ~= '0' then
    local seen = tonumber(before:match('^%d+ %d+ (%d+)') or 0)
    -- Some readers no longer see it.
    if seen == 0 or seen > tonumber(top) then events[#events + 1] = 'removed ' .. id end
  end
  if was.lost and (kind == 'changed' or age > 10000) then return end
  if kind == 'changed' then
    json = json:gsub(',"toast":true}$', '}'):sub(1, -2) .. ',"changed":true' .. (reset and ',"unread":true}' or '}')
  end
  events[#events + 1] = table.concat({kind, id, top, json}, ' ')
end
