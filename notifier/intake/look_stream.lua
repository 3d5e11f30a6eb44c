-- look_stream.lua: how many entries are not done, and which is the oldest of them.
--
-- KEYS[1] stream
-- ARGV[1] group
-- ARGV[2] most    how far is counted where Redis does not know: not yet, or miniredis
--
-- Returns {how many, id of the oldest or ''}.
local stream = KEYS[1]
local group, most = ARGV[1], ARGV[2]

local g = read_group(stream, group)
if not g then
  local first = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
  return {redis.call('XLEN', stream), first and first[1] or ''}
end
local lag = g['entries-read'] and g['lag']
if not lag then
  lag = g['last-delivered-id'] == last_id and 0 or #redis.call('XRANGE', stream, '(' .. g['last-delivered-id'], '+', 'COUNT', most)
end
return {g['pending'] + lag, g.oldest or ''}
