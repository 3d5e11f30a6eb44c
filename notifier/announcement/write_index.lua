-- write_index.lua: replace the stored index by one in the form of read_index. start gives the score
-- of each id.
--
-- shared
--
-- Returns nothing.
local function write_index(open, scheduled, windows, index, start)
  redis.call('DEL', open, scheduled, windows)
  redis.call('ZADD', open, 0, '0')
  redis.call('ZADD', scheduled, 0, '0')
  redis.call('HSET', windows, 'revision', index.revision)
  for id, window in pairs(index.window) do
    redis.call('ZADD', index.open[id] and open or scheduled, start[id], id)
    redis.call('HSET', windows, id, window)
  end
end
