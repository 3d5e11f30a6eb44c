-- move_revision.lua: say which revision of SQL all sets of subscribers are made of.
--
-- KEYS[1] revision
-- ARGV[1] to
-- ARGV[2] from  only from this one; empty: from any lower one, or none; *: from any
--
-- Returns 1, or 0 when it stays.
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
