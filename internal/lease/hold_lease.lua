-- hold_lease.lua: acquire a lease, or extend it if it is ours.
--
-- KEYS[1] lease   STRING, token of the holder
-- ARGV[1] token   ours
-- ARGV[2] life    in ms
-- Returns 1, or -1 when another instance holds it.
local lease = KEYS[1]
local token, life = ARGV[1], ARGV[2]

local holder = redis.call('GET', lease)
if holder == token then
  redis.call('PEXPIRE', lease, life) -- unlike SET, this works in a Redis that is full
  return 1
end
if holder then return -1 end
redis.call('SET', lease, token, 'PX', life)
return 1
