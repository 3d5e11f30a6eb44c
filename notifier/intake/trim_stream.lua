-- trim_stream.lua: take out what is done, up to the oldest entry that is not.
--
-- KEYS[1] stream
-- ARGV[1] group
--
-- Returns how many entries left, or -1 without the group: then nothing is known to be done.
local stream = KEYS[1]
local group = ARGV[1]

local g = read_group(stream, group)
if not g then return -1 end
if g.oldest then return redis.call('XTRIM', stream, 'MINID', g.oldest) end
return redis.call('XTRIM', stream, 'MAXLEN', 0)
