-- merge_bits.lua: merge newer segments from SQL into a bitmap that came back in an older state. If readers have
-- changed a segment since then, both versions are combined: a bit set in either stays set. A segment whose mark has
-- the same time is identical and is being written to SQL.
--
-- uses: reads_from
--
-- KEYS[1] bits      bit = seq
-- KEYS[2] dirty     ID:SEGMENT that SQL lacks, by time (µs), and 0: the latest time that it has;
--                   by ID: the edit since which its bitmap counts reads, as a negative revision
-- KEYS[3] spare     temporary bitmap
-- ARGV[1] id        the announcement
-- ARGV[2] from      revision of the edit since which the segments count reads; 0: all reads
-- ARGV[3..] pieces  segments, three words each: number, its time in SQL, its 4,096 bytes
--
-- Returns how many segments it merged; 0 when the bitmap is lost: it will be restored completely;
-- -2 when the bitmap counts reads since another edit.
local bits, dirty, spare, id, merged = KEYS[1], KEYS[2], KEYS[3], ARGV[1], 0

if redis.call('EXISTS', bits) == 0 then return 0 end
if reads_from(dirty, id) ~= tonumber(ARGV[2]) then return -2 end
for i = 3, #ARGV, 3 do
  local time = redis.call('ZSCORE', dirty, id .. ':' .. ARGV[i])
  if not time or tonumber(time) ~= tonumber(ARGV[i + 1]) then
    redis.call('SETRANGE', time and spare or bits, ARGV[i] * 4096, ARGV[i + 2])
    merged = merged + 1
  end
end
if redis.call('EXISTS', spare) == 1 then
  redis.call('BITOP', 'OR', bits, bits, spare)
  redis.call('DEL', spare)
end
redis.call('SETBIT', bits, 0, 1)
return merged
