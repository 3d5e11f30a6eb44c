-- merge_bits.lua: put pieces that SQL has newer into a bitmap that came back old.
-- Where readers have changed a piece since it came back, both count: who has read in
-- either has read. A piece whose mark has that very time is on its way to SQL, and the
-- same.
--
-- KEYS[1] bits      bit = seq
-- KEYS[2] dirty     ID:SEGMENT that SQL has not seen, by time (µs), and 0: the latest that it has seen
-- KEYS[3] spare     a bitmap of nobody's, for the time of the script
-- ARGV[1] id        the announcement
-- ARGV[2..] pieces  three words each: segment, its time in SQL, its 4,096 bytes
--
-- Returns how many pieces it put in; 0 when the bitmap is lost: it is restored whole.
local bits, dirty, spare, id, merged = KEYS[1], KEYS[2], KEYS[3], ARGV[1], 0

if redis.call('EXISTS', bits) == 0 then return 0 end
for i = 2, #ARGV, 3 do
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
