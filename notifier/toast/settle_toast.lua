-- settle_toast.lua: remove a toast that is finished; it is not delivered again.
--
-- shared
--
-- Returns nothing.
local function settle_toast(stream, pending, id)
  redis.call('XACK', stream, 'toasts', id)
  redis.call('XDEL', stream, id)
  redis.call('ZREM', pending, id)
end
