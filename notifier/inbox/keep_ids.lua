-- keep_ids.lua: store the ids of the notices to keep unread: those in both ids and kept (all ids if kept is nil), at
-- most the last 500.
--
-- shared
--
-- Returns nothing.
local function keep_ids(state, ids, kept)
  local rest = {}
  for _, id in ipairs(ids) do
    if not kept or kept[id] then rest[#rest + 1] = id end
  end
  if #rest == 0 then
    redis.call('HDEL', state, 'kept')
  else
    redis.call('HSET', state, 'kept', table.concat(rest, ' ', math.max(1, #rest - 499)))
  end
end
