-- evict_inbox.lua: remove from Redis an inbox that is in SQL and has long been unused.
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
-- KEYS[9] late    users of the partition with notices that SQL does not have in their inboxes yet, by acceptance
-- ARGV[1] seq     user
-- ARGV[2] before  ms; inboxes used at or after this time stay
-- ARGV[3] ver     version that SQL has; 0: none, and then only an empty inbox is removed
-- ARGV[4] now     ms
--
-- Returns 1; 0 when the inbox is not here, or was used or changed since, or is still to be written; -3 when SQL has
-- another version of it.
local list, hash, state, gone, idle = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[7]
local seq, before, ver, now = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]

local used = redis.call('ZSCORE', idle, seq)
if not used or tonumber(used) >= before then return 0 end
if redis.call('ZSCORE', KEYS[6], seq) or redis.call('ZSCORE', KEYS[9], seq) then return 0 end
local is = redis.call('HGET', state, 'ver')
if not is then
  redis.call('ZREM', idle, seq)
  return 0
end
local empty = redis.call('EXISTS', list, hash, gone, KEYS[8]) == 0
if is ~= ver and not (ver == '0' and empty) then return -3 end
clear_rows(list, hash, KEYS[5], seq)
redis.call('DEL', state, gone, KEYS[8])
redis.call('ZREM', idle, seq)
raise_fence(idle, now)
return 1
