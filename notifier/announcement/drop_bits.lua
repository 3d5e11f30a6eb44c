-- drop_bits.lua: count a bitmap of an announcement that is over and take it away,
-- once SQL has every piece of it.
--
-- KEYS[1] windows  id → START END TOP REVISION-SUM of what is open or coming, and revision
-- KEYS[2] dirty    ID:SEGMENT that SQL has not seen, by time (µs), and 0: the latest that it has seen
-- KEYS[3] bits     bit = seq
-- ARGV[1] id       the announcement
-- ARGV[2] ends     when its window ends (ms); 0 when it is over whatever the time
-- ARGV[3] top      only readers up to this seq are counted; 0: all
--
-- Returns how many had read it; -1 when the bitmap is not there; -2 when it is not over,
-- or the index is lost; -4 when SQL has not seen all of it.
local windows, dirty, bits, id = KEYS[1], KEYS[2], KEYS[3], ARGV[1]

local known = redis.call('HMGET', windows, 'revision', id)
if not known[1] or known[2] or tonumber(ARGV[2]) > read_clock() then return -2 end
for segment = 0, math.floor((redis.call('STRLEN', bits) - 1) / 4096) do
  if redis.call('ZSCORE', dirty, id .. ':' .. segment) then return -4 end
end
local reads = count_bits(bits, tonumber(ARGV[3]))
redis.call('UNLINK', bits)
return reads
