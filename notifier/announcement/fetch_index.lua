-- fetch_index.lua: read the open announcements of an audience at one instant. It only reads, so it works even in a
-- Redis that is out of memory, where a transaction fails.
--
-- uses: read_index
--
-- KEYS[1] aver       version of the index
-- KEYS[2] open       ids by start, and 0
-- KEYS[3] scheduled  ids by start, and 0
-- KEYS[4] windows    id → START END TOP REVISION-SUM, and revision
--
-- Returns {0, aver, then two words for each open announcement, the latest start last: id, window};
-- -1 when part of the index is lost.
local aver, open, scheduled, windows = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

local index = read_index(aver, open, scheduled, windows)
if index.lost then return -1 end
local reply = {0, redis.call('GET', aver)}
for _, id in ipairs(redis.call('ZRANGE', open, 0, -1)) do
  if id ~= '0' then
    reply[#reply + 1] = id
    reply[#reply + 1] = index.window[id] or ''
  end
end
return reply
