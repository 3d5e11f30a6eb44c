-- replace_entry.lua: replace a finished entry with its follow-up entries.
--
-- KEYS[1] stream
-- ARGV[1] group
-- ARGV[2] id      the finished entry
-- ARGV[3..] following  for each follow-up: the number of fields and values, then these
--
-- Returns 1, or -1 if the entry is not pending: another instance has already finished and replaced
-- it, or the stream was lost.
local stream = KEYS[1]
local group, id = ARGV[1], ARGV[2]

-- Without the group XPENDING returns an error, which has no first element either.
if not redis.pcall('XPENDING', stream, group, id, id, 1)[1] then return -1 end
-- Add before acknowledging: if Redis is out of memory, it refuses before anything is removed.
local entry, left = {}, 0
for i = 3, #ARGV do
  if left == 0 then
    entry, left = {}, tonumber(ARGV[i])
  else
    entry[#entry + 1] = ARGV[i]
    left = left - 1
    if left == 0 then redis.call('XADD', stream, '*', unpack(entry)) end
  end
end
return redis.call('XACK', stream, group, id)
