-- look_stream.lua: count the unfinished entries and find the oldest of them.
--
-- uses: read_group
--
-- KEYS[1] stream
-- ARGV[1] group
-- ARGV[2] most    entries to count where Redis does not report the lag
--
-- Returns {number, id of the oldest or ''}.
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
