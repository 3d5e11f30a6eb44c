-- read_index.lua: read the stored index of an audience.
--
-- shared
--
-- Returns {aver, revision, window = id → START END TOP REVISION, open = id → true, lost = whether
-- part of it is missing}.
local function read_index(aver, open, scheduled, windows)
  local index = {aver = tonumber(redis.call('GET', aver) or nil), window = {}, open = {}}
  local fields = redis.call('HGETALL', windows)
  for i = 1, #fields, 2 do index.window[fields[i]] = fields[i + 1] end
  for _, id in ipairs(redis.call('ZRANGE', open, 0, -1)) do index.open[id] = true end
  index.revision = tonumber(index.window.revision or nil)
  index.lost = not (index.aver and index.revision and index.open['0'] and redis.call('ZSCORE', scheduled, '0'))
  index.window.revision, index.open['0'] = nil, nil
  return index
end
