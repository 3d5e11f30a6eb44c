-- drop_bits.lua: count and remove the bitmap of an announcement that is over, once all its segments are in SQL.
--
-- uses: count_bits, read_clock, reads_from
--
-- KEYS[1] windows  id → START END TOP REVISION-SUM of open and coming ones, and revision
-- KEYS[2] dirty    ID:SEGMENT that SQL lacks, by time (µs); by ID: the edit since which its
--                  bitmap counts reads, as a negative revision
-- KEYS[3] bits     bit = seq
-- ARGV[1] id       the announcement
-- ARGV[2] ends     end of its window (ms); 0 when it is over at any time
-- ARGV[3] top      the highest seq that is counted; 0: all
-- ARGV[4] from     revision of the edit since which reads count; 0: all reads count
--
-- Returns how many users had read it; -1 when the bitmap is missing or counts reads since another
-- edit, so that they must be counted in SQL; -2 when it is not over, or the index is lost; -4 when
-- SQL does not have all of it.
local windows, dirty, bits, id = KEYS[1], KEYS[2], KEYS[3], ARGV[1]

local known = redis.call('HMGET', windows, 'revision', id)
if not known[1] or known[2] or tonumber(ARGV[2]) > read_clock() then return -2 end
for segment = 0, math.floor((redis.call('STRLEN', bits) - 1) / 4096) do
  if redis.call('ZSCORE', dirty, id .. ':' .. segment) then return -4 end
end
local reads = reads_from(dirty, id) == tonumber(ARGV[4]) and count_bits(bits, tonumber(ARGV[3])) or -1
redis.call('UNLINK', bits)
redis.call('ZREM', dirty, id)
return reads
