-- inspect_index.lua: check whether the index of an audience is complete and up to date.
--
-- uses: read_clock, read_index
--
-- KEYS[1] aver       version of the index
-- KEYS[2] open       ids by start, and 0
-- KEYS[3] scheduled  ids by start, and 0
-- KEYS[4] windows    id → START END TOP REVISION-SUM, and revision
--
-- Returns {1 when an announcement must open or close, else 0; revision; aver; number of announcements}; -1 when part
-- of the index is lost.
local aver, open, scheduled, windows = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

local index, now = read_index(aver, open, scheduled, windows), read_clock()
if index.lost then return -1 end
local due, known = 0, 0
for id, window in pairs(index.window) do
  local starts, ends = window:match('^(%d+) (%d+)')
  if tonumber(ends) <= now or not index.open[id] and tonumber(starts) <= now then due = 1 end
  known = known + 1
end
return {due, index.revision, index.aver, known}
