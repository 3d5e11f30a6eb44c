-- count_part.lua: count the users who have read an announcement in an audience.
--
-- uses: count_bits, reads_from
--
-- KEYS[1] bits   bit = seq
-- KEYS[2] dirty  by ID: the edit since which its bitmap counts reads, as a negative revision
-- ARGV[1] id     the announcement
-- ARGV[2] top    the highest seq that is counted; 0: all
-- ARGV[3] from   revision of the edit since which reads count; 0: all reads count
--
-- Returns the number; -1 when the bitmap is missing or counts reads since another edit.
local dirty, id, from = KEYS[2], ARGV[1], tonumber(ARGV[3])
if reads_from(dirty, id) ~= from then return -1 end
return count_bits(KEYS[1], tonumber(ARGV[2]))
