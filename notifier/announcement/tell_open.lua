-- tell_open.lua: add to events what readers have to know of an announcement that is
-- open now, since age ms; was is the index before. `open` is news to everybody. Where
-- somebody may have read it before, it is `changed`: numbers must not rise by it, and
-- nothing pops up. Of an index that was lost only what is quite new is told: readers
-- know the rest.
--
-- Returns nothing.
local function tell_open(events, was, id, window, bits, json, age)
  local before, kind = was.window[id], 'changed'
  local function told(w) return (w:gsub(' %d+%-', ' ')) end -- an edit may leave all as it was told
  if was.open[id] and before and told(before) == told(window) then return end
  local top = window:match('^%d+ %d+ (%d+)')
  if not was.open[id] then
    if redis.call('BITCOUNT', bits) == 1 then kind = 'open' end
  elseif before and top ~= '0' then
    local seen = tonumber(before:match('^%d+ %d+ (%d+)') or 0)
    -- Some saw it who do not any more.
    if seen == 0 or seen > tonumber(top) then events[#events + 1] = 'removed ' .. id end
  end
  if was.lost and (kind == 'changed' or age > 10000) then return end
  if kind == 'changed' then json = json:gsub(',"toast":true}$', '}'):sub(1, -2) .. ',"changed":true}' end
  events[#events + 1] = table.concat({kind, id, top, json}, ' ')
end
