-- restore_counts.lua: raise the counts of notices in a partition to the counts in SQL.
--
-- KEYS[1] counts  N:d (delivered) and N:r (read) per notice of the partition; added: the last notice whose counts were added
-- ARGV[1] add     1: add the counts of SQL, once for each notice; 0: keep the higher of both
-- ARGV[2..] known triples of a notice and its delivered and read counts in SQL, by notice
--
-- Returns the number of fields changed.
local counts, add = KEYS[1], ARGV[1] == '1'

local added = add and tonumber(redis.call('HGET', counts, 'added') or 0)
local fields, known, again, new = {}, {}, {}, {}
for i = 2, #ARGV, 3 do
  fields[#fields + 1] = ARGV[i] .. ':d'; known[#known + 1] = tonumber(ARGV[i + 1])
  fields[#fields + 1] = ARGV[i] .. ':r'; known[#known + 1] = tonumber(ARGV[i + 2])
  again[#known] = not add or tonumber(ARGV[i]) <= added
  again[#known - 1] = again[#known]
end
for i, is in ipairs(redis.call('HMGET', counts, unpack(fields))) do
  local was = tonumber(is or 0)
  local count = again[i] and math.max(was, known[i]) or was + known[i]
  if count ~= was then new[#new + 1] = fields[i]; new[#new + 1] = string.format('%d', count) end
end
local changed = #new / 2
if add then new[#new + 1] = 'added'; new[#new + 1] = string.format('%d', math.max(added, tonumber(ARGV[#ARGV - 2]))) end
if #new > 0 then redis.call('HSET', counts, unpack(new)) end
return changed
