-- forget_counts.lua: remove the counts of finished notices that are in SQL.
--
-- KEYS[1] counts  N:d (delivered) and N:r (read) per notice of the partition
-- ARGV[1..] known triples of a notice and its delivered and read counts in SQL
--
-- Returns the number of notices removed. Notices whose counts have changed since stay.
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
