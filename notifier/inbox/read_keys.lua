-- read_keys.lua: mark the entries with these keys as read, either all or none.
--
-- uses: find_due, find_row, read_rows
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened
-- KEYS[4] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[5] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[6] counts   N:d (delivered) and N:r (read) per notice of the partition
-- ARGV[1] now      ms
-- ARGV[2] settled  1 if expired rows have just been removed
-- ARGV[3] seq      user
-- ARGV[4] channel  Pub/Sub channel of this user's changes
-- ARGV[5..] keys   entry keys, without the state
--
-- Returns {turned, unread, ver}; -1 when the inbox is cold; -2 when one of the keys is not in this inbox; -4 when it
-- may contain expired rows: run expire_entries first.
local list, hash, state, expiry, dirty, counts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local now, settled, seq, channel = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

if not redis.call('HGET', state, 'ver') then return -1 end
if settled ~= '1' and find_due(expiry, seq, now) then return -4 end
local named = {}
for i = 5, #ARGV do
  local field = find_row(hash, ARGV[i])
  if not field then return -2 end
  named[field] = true
end
return read_rows(list, hash, state, dirty, counts, now, seq, channel, function(field) return named[field] end)
