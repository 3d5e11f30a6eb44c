-- drop_members.lua: remove group members that have no pending entries.
--
-- uses: read_group
--
-- KEYS[1] stream
-- ARGV[1] group
-- ARGV[2] idle    ms of inactivity after which a member is removed
-- ARGV[3] leaving a member to remove regardless of its activity; '' for none
--
-- Returns how many were removed, or -1 without the group.
local stream = KEYS[1]
local group, idle, leaving = ARGV[1], tonumber(ARGV[2]), ARGV[3]

if not read_group(stream, group) then return -1 end
local dropped = 0
for _, flat in ipairs(redis.call('XINFO', 'CONSUMERS', stream, group)) do
  local m = {}
  for i = 1, #flat, 2 do m[flat[i]] = flat[i + 1] end
  -- Miniredis reports -1 for a member that only ever read. A member removed too early rejoins at
  -- its next read.
  local gone = m['name'] == leaving or m['idle'] > idle or m['idle'] < 0
  if m['pending'] == 0 and gone then
    dropped = dropped + 1
    redis.call('XGROUP', 'DELCONSUMER', stream, group, m['name'])
  end
end
return dropped
