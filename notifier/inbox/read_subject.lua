-- read_subject.lua: mark every entry about a subject as read, whatever its type. Entries of apps other than the given
-- one are not changed.
--
-- uses: find_due, read_rows
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened
-- KEYS[4] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[5] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[6] counts   N:d (delivered) and N:r (read) per notice of the partition
-- ARGV[1] subject  the part of an entry key after the type
-- ARGV[2] now      ms
-- ARGV[3] settled  1 if expired rows have just been removed
-- ARGV[4] seq      user
-- ARGV[5] channel  Pub/Sub channel of this user's changes
-- ARGV[6] app      number of the app whose entries are included besides entries without an app; 0: all
--
-- Returns {turned, unread, ver}; -1 when the inbox is cold; -4 when it may contain expired rows: run expire_entries
-- first.
local list, hash, state, expiry, dirty, counts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local subject, now, settled, seq, channel, app = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]

if not redis.call('HGET', state, 'ver') then return -1 end
if settled ~= '1' and find_due(expiry, seq, now) then return -4 end
local function about(field) -- a type has neither a colon nor a slash
  local of = field:match('^a(%d+)/')
  return (app == '0' or not of or of == app) and field:sub((field:find(':', 1, true) or 0) + 1, -12) == subject
end
return read_rows(list, hash, state, dirty, counts, now, seq, channel, about)
