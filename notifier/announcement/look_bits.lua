-- look_bits.lua: which of some open announcements a reader has read.
--
-- KEYS[1] aver     version of the index
-- KEYS[2] marked   seqs by the version of their last change
-- KEYS[3] bits     of the first announcement; those of the others follow
-- ARGV[1] version  aver of the caller's index
-- ARGV[2] seq      the reader
--
-- Returns {the later of aver and his own version, a bit for each}; -1 when a piece is
-- lost; -2 when the caller's index is old.
local aver, marked, version, seq = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
local bitmaps = KEYS[3] and {unpack(KEYS, 3)} or {}

local fault = check_index(aver, version, bitmaps)
if fault then return fault end
local own = redis.call('ZSCORE', marked, seq) or 0
local reply = {math.max(tonumber(version), tonumber(own))}
for i, bits in ipairs(bitmaps) do reply[i + 1] = redis.call('GETBIT', bits, seq) end
return reply
