-- ack_toast.lua: record that some toasts were shown to their user.
--
-- uses: settle_toast
--
-- KEYS[1] stream   toasts of the partition
-- KEYS[2] pending  the user's pending toasts
-- ARGV[1..] ids    of the toasts shown; any that do not wait for the user are ignored
--
-- Returns how many of them waited for the user.
local stream, pending = KEYS[1], KEYS[2]

local n = 0
for i = 1, #ARGV do
  if redis.call('ZSCORE', pending, ARGV[i]) then
    settle_toast(stream, pending, ARGV[i])
    n = n + 1
  end
end
return n
