-- restore_bits.lua: put a bitmap back from the pieces that SQL has, if it is missing.
-- Bit 0 is set: the key exists, also when nobody has read.
--
-- KEYS[1] bits       bit = seq
-- ARGV[1..] pieces   two words each: the byte where it begins, bytes
--
-- Returns 1, or 0 when the bitmap is there.
local bits = KEYS[1]

if redis.call('EXISTS', bits) == 1 then return 0 end
for i = 1, #ARGV, 2 do
  if ARGV[i + 1] ~= '' then redis.call('SETRANGE', bits, ARGV[i], ARGV[i + 1]) end
end
redis.call('SETBIT', bits, 0, 1)
return 1
