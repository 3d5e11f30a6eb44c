-- restore_bits.lua: put a bitmap back from the pieces that SQL has, if it is missing.
-- Bit 0 is set: the key exists, also when nobody has read.
--
-- KEYS[1] bits       bit = seq
-- KEYS[2] dirty      ID:SEGMENT that SQL has not seen, by time (µs), and 0: the latest that it has seen
-- ARGV[1] top        the highest seq there is: room for it is made at once, because what
--                    grows bit by bit takes twice the memory
-- ARGV[2] latest     the latest time of the pieces (µs)
-- ARGV[3..] pieces   two words each: the byte where it begins, bytes
--
-- Returns 1, or 0 when the bitmap is there.
local bits, dirty, top, latest = KEYS[1], KEYS[2], ARGV[1], ARGV[2]

if redis.call('EXISTS', bits) == 1 then return 0 end
redis.call('SETBIT', bits, top, 0)
for i = 3, #ARGV, 2 do
  if ARGV[i + 1] ~= '' then redis.call('SETRANGE', bits, ARGV[i], ARGV[i + 1]) end
end
redis.call('SETBIT', bits, 0, 1)
if tonumber(redis.call('ZSCORE', dirty, '0') or 0) < tonumber(latest) then redis.call('ZADD', dirty, latest, '0') end
return 1
