-- list_notices.lua: list the notices in a piece of the stream.
--
-- KEYS[1] stream
-- ARGV[1] start   first id, as for XRANGE
-- ARGV[2] most    entries to read
--
-- Returns {id of the last entry or '', number of entries with again, notice of each}.
local stream = KEYS[1]
local start, most = ARGV[1], ARGV[2]

local last, again, found = '', 0, {}
for _, entry in ipairs(redis.call('XRANGE', stream, start, '+', 'COUNT', most)) do
  last = entry[1]
  for i = 1, #entry[2], 2 do
    if entry[2][i] == 'notice' then found[#found + 1] = entry[2][i + 1] end
    if entry[2][i] == 'again' then again = again + 1 end
  end
end
return {last, again, found}
