-- renew_index.lua: record the latest change in SQL after it was merged into the bitmaps. If any bitmap was old, the
-- index will be rebuilt, so that all readers read their numbers again. The version of the index stays: the rebuilt
-- index must be newer.
--
-- KEYS[1] scheduled  ids by start, and 0
-- KEYS[2] dirty      ID:SEGMENT that SQL lacks, by time (µs), and 0: the latest time that it has
-- ARGV[1] latest     the latest time that SQL has (µs)
-- ARGV[2] merged     how many segments were old
--
-- Returns 1.
local scheduled, dirty, latest, merged = KEYS[1], KEYS[2], ARGV[1], tonumber(ARGV[2])

if merged > 0 then redis.call('ZREM', scheduled, '0') end
if tonumber(redis.call('ZSCORE', dirty, '0') or 0) < tonumber(latest) then redis.call('ZADD', dirty, latest, '0') end
return 1
