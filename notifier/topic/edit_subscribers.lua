-- edit_subscribers.lua: add or remove one subscriber of a topic's set, unless the set is
-- newer. A set without subscribers is deleted.
--
-- KEYS[1] set      user:SEQ, role:NAME, and 0, which marks the set as whole
-- KEYS[2] version  revision of SQL that the set is as of
-- ARGV[1] revision  of SQL, made by this change
-- ARGV[2] member    the subscriber
-- ARGV[3] on        1: add; 0: remove
-- ARGV[4] keep      how long the version of a set outlives it (s)
--
-- Returns the number of subscribers left; -1 when the set is missing or not whole; -2 when it
-- is newer.
local set, version = KEYS[1], KEYS[2]
local revision, member, on, keep = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local was = tonumber(redis.call('GET', version) or nil)
if was and was >= tonumber(revision) then return -2 end
if not was or redis.call('SISMEMBER', set, '0') == 0 then return -1 end
redis.call(on == '1' and 'SADD' or 'SREM', set, member)
local left = redis.call('SCARD', set) - 1
if left > 0 then
  redis.call('SET', version, revision)
else
  redis.call('DEL', set)
  redis.call('SET', version, revision, 'EX', keep)
end
return left
