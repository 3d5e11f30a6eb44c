-- ack_toast.lua: a user was shown some of his toasts.
--
-- KEYS[1] stream   toasts of the partition
-- KEYS[2] pending  his
-- ARGV[1..] ids    what he was shown; those that do not wait for him are left alone
--
-- Returns how many waited for him.
local stream, pending = KEYS[1], KEYS[2]

local n = 0
for i = 1, #ARGV do
  if redis.call('ZSCORE', pending, ARGV[i]) then
    settle_toast(stream, pending, ARGV[i])
    n = n + 1
  end
end
return n
