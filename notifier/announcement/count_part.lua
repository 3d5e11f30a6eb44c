-- count_part.lua: how many have read an announcement in an audience.
--
-- KEYS[1] bits  bit = seq
-- ARGV[1] top   only readers up to this seq are counted; 0: all
--
-- Returns the number; -1 when the bitmap is not there.
return count_bits(KEYS[1], tonumber(ARGV[1]))
