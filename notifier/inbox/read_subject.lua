-- read_subject.lua: turn every entry about a subject to read, of whichever type.
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened
-- KEYS[4] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[5] dirty    users of the partition that SQL has not seen, by ver
-- KEYS[6] counts   N:d and N:r of the partition
-- ARGV[1] subject  what stands behind the type in an entry key
-- ARGV[2] now      ms
-- ARGV[3] settled  1 when what expired by now has left this inbox
-- ARGV[4] seq      user
-- ARGV[5] channel  where this user's changes are told
--
-- Returns {turned, unread, ver}; -1 when the inbox is cold; -4 when it may hold
-- expired rows: expire_entries comes first.
local list, hash, state, expiry, dirty, counts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local subject, now, settled, seq, channel = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]

if not redis.call('HGET', state, 'ver') then return -1 end
if settled ~= '1' and find_due(expiry, seq, now) then return -4 end
local function about(field) return field:sub((field:find(':', 1, true) or 0) + 1, -12) == subject end -- a type holds no colon
return read_rows(list, hash, state, dirty, counts, now, seq, channel, about)
