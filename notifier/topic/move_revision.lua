-- move_revision.lua: record the revision of SQL to which all sets of subscribers correspond.
--
-- KEYS[1] revision  as recorded
-- ARGV[1] to        new revision
-- ARGV[2] from      only if this is the old one; empty: if that is lower or missing; *: always
--
-- Returns 1, or 0 when it was not changed.
local revision = KEYS[1]
local to, from = ARGV[1], ARGV[2]

local was = redis.call('GET', revision) or nil
if from == '' then
  if was and tonumber(was) and tonumber(was) > tonumber(to) then return 0 end
elseif from ~= '*' and was ~= from then
  return 0
end
redis.call('SET', revision, to)
return 1
