-- close_over.lua: remove announcements that are over from an index. It needs no data from SQL,
-- which may be unavailable.
--
-- uses: publish_turn, read_clock, read_index
--
-- KEYS[1] aver       version of the index
-- KEYS[2] open       ids by start, and 0
-- KEYS[3] scheduled  ids by start, and 0
-- KEYS[4] windows    id → START END TOP REVISION-SUM, and revision
-- KEYS[5] marked     seqs by the version of their last change
-- ARGV[1] floor      a version that was given out before
-- ARGV[2] channel    channel for the turns of the audience
--
-- Returns how many closed; -1 when the index is lost.
local aver, open, scheduled, windows, channel = KEYS[1], KEYS[2], KEYS[3], KEYS[4], ARGV[2]

local was, now, events = read_index(aver, open, scheduled, windows), read_clock(), {}
if was.lost then return -1 end
for id, window in pairs(was.window) do
  if was.open[id] and tonumber(window:match('^%d+ (%d+)')) <= now then
    redis.call('ZREM', open, id)
    redis.call('HDEL', windows, id)
    events[#events + 1] = 'removed ' .. id
  end
end
if #events == 0 then return 0 end
local closed = #events
publish_turn(aver, KEYS[5], channel, was, tonumber(ARGV[1]), now, events)
return closed
