-- trim_stream.lua: remove finished entries, up to the oldest unfinished one.
--
-- uses: read_group
--
-- KEYS[1] stream
-- ARGV[1] group
--
-- Returns how many entries were removed, or -1 without the group: then none is known to be
-- finished.
local stream = KEYS[1]
local group = ARGV[1]

local g = read_group(stream, group)
if not g then return -1 end
if g.oldest then return redis.call('XTRIM', stream, 'MINID', g.oldest) end
return redis.call('XTRIM', stream, 'MAXLEN', 0)
