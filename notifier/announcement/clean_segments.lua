-- clean_segments.lua: forget marks of pieces that SQL has seen, where nothing has
-- changed in them since.
--
-- KEYS[1] dirty     ID:SEGMENT that SQL has not seen, by time (µs), and 0: the latest that it has seen
-- ARGV[1..] marks   two words each: ID:SEGMENT, the time that was saved
--
-- Returns how many it forgot.
local dirty, forgot = KEYS[1], 0
local latest = tonumber(redis.call('ZSCORE', dirty, '0') or 0)

for i = 1, #ARGV, 2 do
  local time, saved = redis.call('ZSCORE', dirty, ARGV[i]), tonumber(ARGV[i + 1])
  if time and tonumber(time) == saved then forgot = forgot + redis.call('ZREM', dirty, ARGV[i]) end
  -- Without its mark, or with an older one, this is not the Redis whose piece was
  -- saved: it has come back old since, and that must be seen.
  if time and tonumber(time) >= saved then latest = math.max(latest, saved) end
end
-- A later change must be newer for SQL than all of these, also when the clock goes back.
redis.call('ZADD', dirty, string.format('%.0f', latest), '0')
return forgot
