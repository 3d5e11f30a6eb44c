-- renew_stream.lua: recreate a stream that has run out of ids, or nearly has, with its unfinished
-- entries.
--
-- uses: read_group
--
-- KEYS[1] stream
-- ARGV[1] group
-- ARGV[2] most    unfinished entries: with more, the stream stays as it is
--
-- Returns how many entries the new stream has, or -1 if nothing was changed.
local stream = KEYS[1]
local group, most = ARGV[1], tonumber(ARGV[2])

if redis.call('EXISTS', stream) == 0 then return -1 end
local info = redis.call('XINFO', 'STREAM', stream)
for i = 1, #info, 2 do
  -- A clock gives fewer than 15 digits of ms until the year 5138: an entry was added with a made-up
  -- id.
  if info[i] == 'last-generated-id' and #info[i + 1]:match('^%d*') < 15 then return -1 end
end
local g = read_group(stream, group)
if not g then return -1 end
local left = {}
for _, p in ipairs(redis.call('XPENDING', stream, group, '-', '+', most + 1)) do
  left[#left + 1] = redis.call('XRANGE', stream, p[1], p[1])[1] -- nil if the entry was deleted from the stream
end
local read = g['last-delivered-id']
if read ~= last_id then
  for _, e in ipairs(redis.call('XRANGE', stream, '(' .. read, '+', 'COUNT', most + 1)) do left[#left + 1] = e end
end
if #left > most then return -1 end
-- Redis checks its memory limit before the first write only, so the later ones cannot be refused.
redis.call('DEL', stream)
redis.call('XGROUP', 'CREATE', stream, group, '0', 'MKSTREAM')
for _, e in ipairs(left) do redis.call('XADD', stream, '*', unpack(e[2])) end
return #left
