-- plan_index.lua: update the index of an audience to match SQL and the current time: it opens announcements that are
-- due and closes those that are over. Repeating it changes nothing.
--
-- uses: publish_open, publish_turn, read_clock, read_index, reads_from, same_windows, start_bits, write_index
--
-- An item that is due but has no top or bitmap waits for it. A lost index waits for all its items, so that no reader
-- gets a number that omits some. The turn of a rebuilt index only publishes the announcements of the last 10 s:
-- readers already have the others.
--
-- If an edit marked an item as unread for all users, its bitmap is emptied here, in the
-- script that also raises the version, so that a version never has two counts.
--
-- KEYS[1] aver       version of the index
-- KEYS[2] open       ids by start, and 0
-- KEYS[3] scheduled  ids by start, and 0
-- KEYS[4] windows    id → START END TOP REVISION-SUM, and revision
-- KEYS[5] marked     seqs by the version of their last change
-- KEYS[6] dirty      by ID: the edit since which its bitmap counts reads, as a negative revision
-- KEYS[7] bits       of the first item; then of the others
-- ARGV[1] revision   revision of SQL that the items come from
-- ARGV[2] undone     a later revision that SQL has lost: it may be replaced; empty: none
-- ARGV[3] channel    channel for the turns of the audience
-- ARGV[4] floor      a version that readers have already received
-- ARGV[5..] items    seven words each: id, start, end, top (-1: not settled; 0: all users;
--                    else the highest seq that does), revision of the edit since which reads
--                    count, REVISION-SUM (with a checksum of the JSON), JSON to publish
--
-- Returns {1 when readers see a change, else 0; then the places of the items that lack something};
-- {-3, revision} when the index was built from a later state of SQL.
local aver, open, scheduled, windows, channel = KEYS[1], KEYS[2], KEYS[3], KEYS[4], ARGV[3]
local dirty, bitmaps = KEYS[6], KEYS[7] and {unpack(KEYS, 7)}

local was, now = read_index(aver, open, scheduled, windows), read_clock()
local revision = tonumber(ARGV[1])
if was.revision and was.revision > revision and was.revision ~= tonumber(ARGV[2]) then return {-3, was.revision} end
local is, start, lacking, events, stale = {revision = ARGV[1], window = {}, open = {}}, {}, {}, {}, {}
for i = 5, #ARGV, 7 do
  local id, starts, ends, top, from, rev, json = unpack(ARGV, i, i + 6)
  local window, place = table.concat({starts, ends, top, rev}, ' '), (i + 2) / 7
  local there = redis.call('EXISTS', bitmaps[place]) == 1
  local reset = there and reads_from(dirty, id) < tonumber(from)
  if there and reads_from(dirty, id) ~= tonumber(from) then stale[id] = {bitmaps[place], from} end
  if tonumber(ends) > now then
    start[id], is.window[id] = starts, window
    if tonumber(starts) <= now then
      if top ~= '-1' and there then
        is.open[id] = true
        publish_open(events, was, id, window, bitmaps[place], json, now - starts, reset)
      else
        lacking[#lacking + 1] = place
        is.open[id] = was.open[id]
        if was.open[id] then is.window[id] = was.window[id] or window end
      end
    end
  end
end
if was.lost and #lacking > 0 then return {0, unpack(lacking)} end
for id, s in pairs(stale) do start_bits(s[1], dirty, id, s[2]) end
for id in pairs(was.open) do
  if not is.open[id] then events[#events + 1] = 'removed ' .. id end
end
local turned = was.lost or #events > 0
if not turned and was.revision == revision and same_windows(was.window, is.window) then return {0, unpack(lacking)} end
write_index(open, scheduled, windows, is, start)
if not turned then return {0, unpack(lacking)} end
publish_turn(aver, KEYS[5], channel, was, tonumber(ARGV[4]), now, events)
return {1, unpack(lacking)}
