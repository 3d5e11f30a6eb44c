-- settle_toast.lua: a toast is done with; nobody is given it any more.
--
-- Returns nothing.
local function settle_toast(stream, pending, id)
  redis.call('XACK', stream, 'toasts', id)
  redis.call('XDEL', stream, id)
  redis.call('ZREM', pending, id)
end
