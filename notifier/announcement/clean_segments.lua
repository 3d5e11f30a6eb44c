-- clean_segments.lua: remove the marks of segments that are now in SQL, unless they have changed since.
--
-- KEYS[1] dirty     ID:SEGMENT that SQL lacks, by time (µs), and 0: the latest time that it has
-- ARGV[1..] marks   two words each: ID:SEGMENT, time of the saved segment
--
-- Returns how many it removed.
local dirty, forgot = KEYS[1], 0
local latest = tonumber(redis.call('ZSCORE', dirty, '0') or 0)

for i = 1, #ARGV, 2 do
  local time, saved = redis.call('ZSCORE', dirty, ARGV[i]), tonumber(ARGV[i + 1])
  if time and tonumber(time) == saved then forgot = forgot + redis.call('ZREM', dirty, ARGV[i]) end
  -- If the mark is missing or older, this is not the Redis whose segment was saved: it came back in an older state in
  -- the meantime, which must be detected.
  if time and tonumber(time) >= saved then latest = math.max(latest, saved) end
end
-- In SQL, a later change must be newer than all of these, even if the clock goes back.
redis.call('ZADD', dirty, string.format('%.0f', latest), '0')
return forgot
