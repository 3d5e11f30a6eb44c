-- read_waiting.lua: assign all unread entries to the consumer `waiting`, so that they can be
-- claimed. Creates the group when it is missing: on a new stream or after a loss.
--
-- shared
--
-- Returns nothing.
local function read_waiting(stream)
  local reply = redis.pcall('XREADGROUP', 'GROUP', 'toasts', 'waiting', 'STREAMS', stream, '>')
  if reply and reply.err then
    redis.call('XGROUP', 'CREATE', stream, 'toasts', '0')
    redis.call('XREADGROUP', 'GROUP', 'toasts', 'waiting', 'STREAMS', stream, '>')
  end
end
