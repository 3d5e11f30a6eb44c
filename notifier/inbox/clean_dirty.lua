-- clean_dirty.lua: SQL has seen these users as they were marked.
--
-- KEYS[1] dirty  users of the partition that SQL has not seen, by ver
-- ARGV[1..] marks  a user, the ver of his mark, and so on
--
-- Returns how many marks left. One that changed since stays.
local dirty = KEYS[1]

local same = {}
for i = 1, #ARGV, 2 do
  local ver = redis.call('ZSCORE', dirty, ARGV[i])
  if ver and tonumber(ver) == tonumber(ARGV[i + 1]) then same[#same + 1] = ARGV[i] end
end
if #same == 0 then return 0 end
return redis.call('ZREM', dirty, unpack(same))
