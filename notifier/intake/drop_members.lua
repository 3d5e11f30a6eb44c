-- drop_members.lua: forget members of the group that have nothing in hand.
--
-- KEYS[1] stream
-- ARGV[1] group
-- ARGV[2] idle    ms for which a member did nothing
-- ARGV[3] leaving a member that goes however short that is; '' for none
--
-- Returns how many were forgotten, or -1 without the group.
local stream = KEYS[1]
local group, idle, leaving = ARGV[1], tonumber(ARGV[2]), ARGV[3]

if not read_group(stream, group) then return -1 end
local dropped = 0
for _, flat in ipairs(redis.call('XINFO', 'CONSUMERS', stream, group)) do
  local m = {}
  for i = 1, #flat, 2 do m[flat[i]] = flat[i + 1] end
  -- Miniredis says -1 of one that only ever read; whoever is forgotten too early is a member again when he reads.
  local gone = m['name'] == leaving or m['idle'] > idle or m['idle'] < 0
  if m['pending'] == 0 and gone then
    dropped = dropped + 1
    redis.call('XGROUP', 'DELCONSUMER', stream, group, m['name'])
  end
end
return dropped
