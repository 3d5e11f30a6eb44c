-- replace_entry.lua: what follows takes the place of an entry that is done.
--
-- KEYS[1] stream
-- ARGV[1] group
-- ARGV[2] id      the entry
-- ARGV[3..] following  for each: how many fields and values, then these
--
-- Returns 1, or -1 when the entry is not pending: it was done meanwhile and has been
-- followed, or the stream was lost.
local stream = KEYS[1]
local group, id = ARGV[1], ARGV[2]

-- Without the group this answers an error, which has no first element either.
if not redis.pcall('XPENDING', stream, group, id, id, 1)[1] then return -1 end
-- First in, then out: what Redis has no memory for is refused before anything left.
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
