-- forget_counts.lua: what SQL has of notices that are over leaves the counts.
--
-- KEYS[1] counts  N:d and N:r of the partition
-- ARGV[1..] known a notice, delivered and read as SQL has them, and so on
--
-- Returns how many notices left. One that has other counts by now stays.
local counts = KEYS[1]

local gone = {}
for i = 1, #ARGV, 3 do
  local delivered, read = ARGV[i] .. ':d', ARGV[i] .. ':r'
  local is = redis.call('HMGET', counts, delivered, read)
  if (is[1] or '0') == ARGV[i + 1] and (is[2] or '0') == ARGV[i + 2] then
    gone[#gone + 1] = delivered; gone[#gone + 1] = read
  end
end
if #gone > 0 then redis.call('HDEL', counts, unpack(gone)) end
return #gone / 2
