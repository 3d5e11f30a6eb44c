-- renew_index.lua: note how far SQL has seen after bitmaps were brought up to it. Where
-- one was old, have the index made again, so that everybody's number is read anew. The
-- version of the index stays: what is made of it must be newer.
--
-- KEYS[1] scheduled  ids by start, and 0
-- KEYS[2] dirty      ID:SEGMENT that SQL has not seen, by time (µs), and 0: the latest that it has seen
-- ARGV[1] latest     how far SQL has seen (µs)
-- ARGV[2] merged     how many pieces were old
--
-- Returns 1.
local scheduled, dirty, latest, merged = KEYS[1], KEYS[2], ARGV[1], tonumber(ARGV[2])

if merged > 0 then redis.call('ZREM', scheduled, '0') end
if tonumber(redis.call('ZSCORE', dirty, '0') or 0) < tonumber(latest) then redis.call('ZADD', dirty, latest, '0') end
return 1
