-- replace_subscribers.lua: replace a topic's set with a draft, unless the set is newer.
--
-- KEYS[1] set      user:SEQ, role:NAME, and 0, which marks the set as whole
-- KEYS[2] version  revision of SQL that the set is as of
-- KEYS[3] draft    the new set, with 0
-- ARGV[1] revision  of SQL, as of which the draft was read; the draft may be later
-- ARGV[2] size      members of the draft; 0: no subscribers, and no draft
-- ARGV[3] force     1: SQL has lost later revisions
-- ARGV[4] keep      how long the version of a set outlives it (s)
--
-- Returns 1; -2 when the set is newer; -3 when the draft is not whole.
local set, version, draft = KEYS[1], KEYS[2], KEYS[3]
local revision, size, force, keep = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]

local was = tonumber(redis.call('GET', version) or nil)
local newer = force ~= '1' and was and was > tonumber(revision)
if newer or redis.call('SCARD', draft) ~= size then
  redis.call('UNLINK', draft)
  return newer and -2 or -3
end
redis.call('UNLINK', set)
if size == 0 then
  redis.call('SET', version, revision, 'EX', keep)
else
  redis.call('RENAME', draft, set)
  redis.call('PERSIST', set)
  redis.call('SET', version, revision)
end
return 1
