-- release_lease.lua: release a lease if it is ours.
--
-- KEYS[1] lease   STRING, token of the holder
-- ARGV[1] token   ours
-- Returns 1, or 0 when it was no longer ours.
local lease = KEYS[1]
local token = ARGV[1]

if redis.call('GET', lease) ~= token then
  return 0
end
return redis.call('DEL', lease)
