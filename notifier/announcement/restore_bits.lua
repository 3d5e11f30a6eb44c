-- restore_bits.lua: restore a missing bitmap from its segments in SQL. Bit 0 is set, so that the
-- key exists even before the first reader.
--
-- uses: set_reads_from
--
-- KEYS[1] bits       bit = seq
-- KEYS[2] dirty      ID:SEGMENT that SQL lacks, by time (µs), and 0: the latest time that it has;
--                    by ID: the edit since which its bitmap counts reads, as a negative revision
-- ARGV[1] id         the announcement
-- ARGV[2] from       revision of the edit since which the segments count reads; 0: all reads
-- ARGV[3] top        the highest seq; memory for it is allocated in one step, because a bitmap
--                    that grows gradually uses twice as much
-- ARGV[4] latest     the latest time of the segments (µs)
-- ARGV[5..] pieces   segments, two words each: offset of the first byte, bytes
--
-- Returns 1, or 0 when the bitmap exists.
local bits, dirty, top, latest = KEYS[1], KEYS[2], ARGV[3], ARGV[4]

if redis.call('EXISTS', bits) == 1 then return 0 end
redis.call('SETBIT', bits, top, 0)
for i = 5, #ARGV, 2 do
  if ARGV[i + 1] ~= '' then redis.call('SETRANGE', bits, ARGV[i], ARGV[i + 1]) end
end
redis.call('SETBIT', bits, 0, 1)
set_reads_from(dirty, ARGV[1], ARGV[2])
if tonumber(redis.call('ZSCORE', dirty, '0') or 0) < tonumber(latest) then redis.call('ZADD', dirty, latest, '0') end
return 1
