-- ripen_marks.lua: turn the late marks of some users of a partition into dirty marks, so that their inboxes are
-- written to SQL. A notice delivered afterwards makes a new late mark.
--
-- KEYS[1] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[2] late     users of the partition with notices that SQL does not have in their inboxes yet, by acceptance
-- KEYS[3..] state  of each user: ver, late
-- ARGV[1..] users  seq of each
--
-- Returns 0, and for each user the ver of their inbox; 0 when it is cold.
local dirty, late = KEYS[1], KEYS[2]

local replies = {0}
for i = 1, #ARGV do
  local seq, state = ARGV[i], KEYS[i + 2]
  local ver = redis.call('HGET', state, 'ver')
  if ver then
    redis.call('ZADD', dirty, ver, seq)
    redis.call('HDEL', state, 'late')
  end
  redis.call('ZREM', late, seq)
  replies[i + 1] = tonumber(ver or 0)
end
return replies
