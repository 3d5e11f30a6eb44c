-- erase_inbox.lua: remove a user's whole inbox from Redis, regardless of SQL.
--
-- uses: clear_rows, raise_fence
--
-- KEYS[1] list    inbox, newest first
-- KEYS[2] hash    field → ID AT EXPIRY JSON
-- KEYS[3] state   unread, ver, opened
-- KEYS[4] gone    notices that left this inbox, by version
-- KEYS[5] expiry  SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[6] dirty   users of the partition whose state SQL does not have yet, by ver
-- KEYS[7] idle    users of the partition by last use; the score of 0 is the fence
-- KEYS[8] archive entry key → ID AT EXPIRY ARCHIVED
-- KEYS[9] deleted entry key → ID AT EXPIRY of deleted entries
-- KEYS[10] late   users of the partition with notices that SQL does not have in their inboxes yet, by acceptance
-- ARGV[1] seq     user
-- ARGV[2] now     ms
--
-- Returns 1; 0 when the user had no inbox here.
local list, hash, state, gone, idle = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[7]
local seq, now = ARGV[1], ARGV[2]

clear_rows(list, hash, KEYS[5], seq)
redis.call('ZREM', KEYS[6], seq)
redis.call('ZREM', KEYS[10], seq)
redis.call('ZREM', idle, seq)
raise_fence(idle, now)
local was = redis.call('DEL', state, gone, KEYS[8], KEYS[9])
return math.min(was, 1)
