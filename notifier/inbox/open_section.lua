-- open_section.lua: return the newest rows as they are, then mark the unread rows of given types, a scope and an app as
-- read, except those that the user marked as unread.
--
-- uses: find_due, kept_ids, match_section, read_rows
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, kept
-- KEYS[4] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[5] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[6] counts   N:d (delivered) and N:r (read) per notice of the partition
-- ARGV[1] types    a list with commas before, between and after its elements; empty for any
-- ARGV[2] scope    a scope after =; empty for any
-- ARGV[3] app      the name of an app after =; empty for any
-- ARGV[4] limit    maximum rows to return
-- ARGV[5] now      ms
-- ARGV[6] settled  1 if expired rows have just been removed
-- ARGV[7] seq      user
-- ARGV[8] channel  Pub/Sub channel of this user's changes
--
-- Returns {turned, unread and ver after opening, 0, 0, fields, values, ids of rows that the user marked as unread}; -1
-- when the inbox is cold; -4 when it may contain expired rows: run expire_entries first.
local list, hash, state, expiry, dirty, counts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local types, scope, app, limit = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local now, settled, seq, channel = ARGV[5], ARGV[6], ARGV[7], ARGV[8]

local numbers = redis.call('HMGET', state, 'ver', 'kept')
if not numbers[1] then return -1 end
if settled ~= '1' and find_due(expiry, seq, now) then return -4 end
local fields, values = redis.call('LRANGE', list, 0, limit - 1), {}
if #fields > 0 then values = redis.call('HMGET', hash, unpack(fields)) end
local _, kept = kept_ids(numbers[2])
local matches = match_section(types, scope, app)
local reply = read_rows(list, hash, state, dirty, counts, now, seq, channel, function(field, value)
  return not kept[value:match('^%d+')] and matches(field, value)
end)
return {reply[1], reply[2], reply[3], 0, 0, fields, values, numbers[2] or ''}
