-- renew_stream.lua: a stream whose ids have run out, or nearly, is made anew with what is
-- not done.
--
-- KEYS[1] stream
-- ARGV[1] group
-- ARGV[2] most    entries not done: with more it stays until there are fewer
--
-- Returns how many entries it has now, or -1: it stays as it is.
local stream = KEYS[1]
local group, most = ARGV[1], tonumber(ARGV[2])

if redis.call('EXISTS', stream) == 0 then return -1 end
local info = redis.call('XINFO', 'STREAM', stream)
for i = 1, #info, 2 do
  -- No clock gives 15 digits of ms before the year 5138: somebody put that in.
  if info[i] == 'last-generated-id' and #info[i + 1]:match('^%d*') < 15 then return -1 end
end
local g = read_group(stream, group)
if not g then return -1 end
local left = {}
for _, p in ipairs(redis.call('XPENDING', stream, group, '-', '+', most + 1)) do
  left[#left + 1] = redis.call('XRANGE', stream, p[1], p[1])[1] -- none of one that somebody deleted
end
local read = g['last-delivered-id']
if read ~= last_id then
  for _, e in ipairs(redis.call('XRANGE', stream, '(' .. read, '+', 'COUNT', most + 1)) do left[#left + 1] = e end
end
if #left > most then return -1 end
-- After the first write Redis refuses none of the others for its memory.
redis.call('DEL', stream)
redis.call('XGROUP', 'CREATE', stream, group, '0', 'MKSTREAM')
for _, e in ipairs(left) do redis.call('XADD', stream, '*', unpack(e[2])) end
return #left
