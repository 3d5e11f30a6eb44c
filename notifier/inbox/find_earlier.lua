-- find_earlier.lua: whether an inbox has or had a notice, or has a later one with its key; otherwise, the earlier entry
-- with its key.
--
-- shared
--
-- n is the notice, with its id, key, order, again, and the fields unread and read of its row.
-- Returns true; or false, the field of the earlier row, and the id of the earlier archived entry, if there are any.
local function find_earlier(n, hash, state, gone, archive, archived)
  local floor = n.again and redis.call('HGET', state, 'floor')
  if floor and (floor == n.id or tonumber(floor) > n.order) then return true end
  if redis.call('ZSCORE', gone, n.id) then return true end
  local values = redis.call('HMGET', hash, n.unread, n.read)
  local old = values[1] and n.unread or values[2] and n.read or nil
  local has = old and (values[1] or values[2]):match('^%d+') or '0'
  if has == n.id or tonumber(has) > n.order then return true end
  local put = archived and redis.call('HGET', archive, n.key)
  local was = put and put:match('^%d+') or '0'
  if was == n.id or tonumber(was) > n.order then return true end
  return false, old, put and was or nil
end
