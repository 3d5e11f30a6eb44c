-- read_section.lua: mark the unread rows of given types, a scope and an app as read, up to a given version.
--
-- uses: find_due, find_row, match_section, read_rows
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened
-- KEYS[4] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[5] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[6] counts   N:d (delivered) and N:r (read) per notice of the partition
-- ARGV[1] types    a list with commas before, between and after its elements; empty for any
-- ARGV[2] scope    a scope after =; empty for any
-- ARGV[3] app      the name of an app after =; empty for any
-- ARGV[4] upto     an at
-- ARGV[5] key      an entry key, whose at replaces upto; empty for none
-- ARGV[6] now      ms
-- ARGV[7] settled  1 if expired rows have just been removed
-- ARGV[8] seq      user
-- ARGV[9] channel  Pub/Sub channel of this user's changes
--
-- Returns {turned, unread, ver}; -1 when the inbox is cold; -2 when the key is not in this inbox; -4 when it may
-- contain expired rows: run expire_entries first.
local list, hash, state, expiry, dirty, counts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local types, scope, app, upto, key = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
local now, settled, seq, channel = ARGV[6], ARGV[7], ARGV[8], ARGV[9]

if not redis.call('HGET', state, 'ver') then return -1 end
if settled ~= '1' and find_due(expiry, seq, now) then return -4 end
local function at_of(value) return tonumber(value:match('^%d+ (%d+)') or 0) end
if key ~= '' then
  local _, value = find_row(hash, key)
  if not value then return -2 end
  upto = at_of(value)
end
local matches = match_section(types, scope, app)
return read_rows(list, hash, state, dirty, counts, now, seq, channel, function(field, value)
  return at_of(value) <= upto and matches(field, value)
end)
