-- claim_subscribers.lua: from now on, make a topic's set reject changes older than a revision of SQL.
--
-- KEYS[1] version  revision of SQL that the set is as of
-- ARGV[1] revision  oldest one to be accepted
-- ARGV[2] force     1: SQL has lost later revisions
--
-- Returns 1, or -2 when the set is newer.
local version, revision, force = KEYS[1], ARGV[1], ARGV[2]

local was = tonumber(redis.call('GET', version) or nil)
if force ~= '1' and was and was > tonumber(revision) then return -2 end
redis.call('SET', version, revision)
return 1
