-- restore_counts.lua: how far notices came in a partition is at least what SQL has.
--
-- KEYS[1] counts  N:d and N:r of the partition
-- ARGV[1] add     1: on top of what is there; 0: what is there counts when it is more
-- ARGV[2..] known a notice, delivered and read as SQL has them, and so on
--
-- Returns how many fields changed.
local counts, add = KEYS[1], ARGV[1] == '1'

local fields, known, new = {}, {}, {}
for i = 2, #ARGV, 3 do
  fields[#fields + 1] = ARGV[i] .. ':d'; known[#known + 1] = tonumber(ARGV[i + 1])
  fields[#fields + 1] = ARGV[i] .. ':r'; known[#known + 1] = tonumber(ARGV[i + 2])
end
for i, is in ipairs(redis.call('HMGET', counts, unpack(fields))) do
  local was = tonumber(is or 0)
  local count = add and was + known[i] or math.max(was, known[i])
  if count ~= was then new[#new + 1] = fields[i]; new[#new + 1] = string.format('%d', count) end
end
if #new > 0 then redis.call('HSET', counts, unpack(new)) end
return #new / 2
