-- forget_toasts.lua: remove all waiting toasts of a deleted user.
--
-- uses: settle_toast
--
-- KEYS[1] stream   toasts of the partition
-- KEYS[2] pending  the user's pending toasts
--
-- Returns the number of toasts removed.
local stream, pending = KEYS[1], KEYS[2]

local ids = redis.call('ZRANGE', pending, 0, -1)
for _, id in ipairs(ids) do settle_toast(stream, pending, id) end
return #ids
