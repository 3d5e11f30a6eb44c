-- clean_segments.lua: forget marks of pieces that SQL has seen, where nothing has
-- changed in them since.
--
-- KEYS[1] dirty     ID:SEGMENT that SQL has not seen, by time (µs)
-- ARGV[1..] marks   two words each: ID:SEGMENT, the time that was saved
--
-- Returns how many it forgot.
local dirty, forgot = KEYS[1], 0

for i = 1, #ARGV, 2 do
  local time = redis.call('ZSCORE', dirty, ARGV[i])
  if time and tonumber(time) == tonumber(ARGV[i + 1]) then
    forgot = forgot + redis.call('ZREM', dirty, ARGV[i])
  end
end
return forgot
