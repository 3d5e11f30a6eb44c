-- plan_index.lua: bring the index of an audience to what SQL says and the time
-- demands: what is due opens, what is over closes. A repeat changes nothing.
--
-- An item that is due and lacks its top or its bitmap waits for it; an index that was
-- lost waits for all of them, so that no reader is told a number without them. Its
-- turn tells no texts but those of the last 10 s: readers know the others.
--
-- KEYS[1] aver       version of the index
-- KEYS[2] open       ids by start, and 0
-- KEYS[3] scheduled  ids by start, and 0
-- KEYS[4] windows    id → START END TOP REVISION-SUM, and revision
-- KEYS[5] marked     seqs by the version of their last change
-- KEYS[6] bits       of the first item; those of the others follow
-- ARGV[1] revision   the state of SQL that the items are
-- ARGV[2] undone     a later one, which SQL has lost: it may be replaced; empty: none
-- ARGV[3] channel    where the audience's turns are told
-- ARGV[4] floor      a version that was given before
-- ARGV[5..] items    six words each: id, start, end, top (-1: not settled; 0: everybody
--                    sees it; else the highest seq that does), REVISION-SUM (of the
--                    bulletin), bulletin
--
-- Returns {1 when readers see a change, else 0; then the places of the items that
-- lack something}; {-3, revision} when the index is that of a later state of SQL.
local aver, open, scheduled, windows, channel = KEYS[1], KEYS[2], KEYS[3], KEYS[4], ARGV[3]
local bitmaps = KEYS[6] and {unpack(KEYS, 6)}

local was, now = read_index(aver, open, scheduled, windows), read_clock()
local revision = tonumber(ARGV[1])
if was.revision and was.revision > revision and was.revision ~= tonumber(ARGV[2]) then return {-3, was.revision} end
local is, start, lacking, events = {revision = ARGV[1], window = {}, open = {}}, {}, {}, {}
for i = 5, #ARGV, 6 do
  local id, starts, ends, top, rev, json = unpack(ARGV, i, i + 5)
  local window, place = table.concat({starts, ends, top, rev}, ' '), (i + 1) / 6
  if tonumber(ends) > now then
    start[id], is.window[id] = starts, window
    if tonumber(starts) <= now then
      if top ~= '-1' and redis.call('EXISTS', bitmaps[place]) == 1 then
        is.open[id] = true
        tell_open(events, was, id, window, bitmaps[place], json, now - starts)
      else
        lacking[#lacking + 1] = place
        is.open[id] = was.open[id]
        if was.open[id] then is.window[id] = was.window[id] or window end
      end
    end
  end
end
if was.lost and #lacking > 0 then return {0, unpack(lacking)} end
for id in pairs(was.open) do
  if not is.open[id] then events[#events + 1] = 'removed ' .. id end
end
local turned = was.lost or #events > 0
if not turned and was.revision == revision and same_windows(was.window, is.window) then return {0, unpack(lacking)} end
write_index(open, scheduled, windows, is, start)
if not turned then return {0, unpack(lacking)} end
tell_turn(aver, KEYS[5], channel, was, tonumber(ARGV[4]), now, events)
return {1, unpack(lacking)}
