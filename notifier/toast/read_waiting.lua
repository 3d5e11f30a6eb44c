-- read_waiting.lua: have everything that nobody has read held by `waiting`, so that it
-- can be claimed. A group that is missing, on a new stream or after a loss, is made.
--
-- Returns nothing.
local function read_waiting(stream)
  local reply = redis.pcall('XREADGROUP', 'GROUP', 'toasts', 'waiting', 'STREAMS', stream, '>')
  if reply and reply.err then
    redis.call('XGROUP', 'CREATE', stream, 'toasts', '0')
    redis.call('XREADGROUP', 'GROUP', 'toasts', 'waiting', 'STREAMS', stream, '>')
  end
end
