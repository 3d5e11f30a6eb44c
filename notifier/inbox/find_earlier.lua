-- find_earlier.lua: whether an inbox has or had a notice, or has a later one with its key; otherwise, the earlier entry
-- with its key.
--
-- shared
-- uses: shares_row
--
-- n is the notice, with its id, key, order, again, joins, and the fields unread and read of its row.
-- Returns true; or false, the field and the value of the earlier row, and the id of the earlier archived entry, if there are
-- any; and whether the row is a later one, which the notice joins.
local function find_earlier(n, hash, state, gone, archive, archived)
  local floor = n.again and redis.call('HGET', state, 'floor')
  if floor and (floor == n.id or tonumber(floor) > n.order) then return true end
  if redis.call('ZSCORE', gone, n.id) then return true end
  local values = redis.call('HMGET', hash, n.unread, n.read)
  local old = values[1] and n.unread or values[2] and n.read or nil
  local has = old and (values[1] or values[2]):match('^%d+') or '0'
  if has == n.id then return true end
  if tonumber(has) > n.order then
    if not n.joins or not values[1] or not values[1]:find('\nm', 1, true) or shares_row(values[1], n.id) then return true end
    return false, old, values[1], nil, true
  end
  local put = archived and redis.call('HGET', archive, n.key)
  local was = put and put:match('^%d+') or '0'
  if was == n.id or tonumber(was) > n.order then return true end
  return false, old, values[1] or values[2], put and was or nil
end
