-- turn_rows.lua: mark as read those unread rows of an inbox for which wanted(field, value) is true, or all if wanted
-- is nil. top is the top of the list as far as it has been read, and known contains the values of its first rows.
--
-- shared
-- uses: count_read, find_unread, read_values, write_rows
--
-- Returns the number of rows changed, and their fields as they were.
local function turn_rows(list, hash, counts, top, known, unread, wanted)
  local at, fields = find_unread(list, top, unread)
  local values = read_values(hash, fields, at, known)
  local changed, old, new, ids = {}, {}, {}, {}
  for _, i in ipairs(at) do
    local value = values[i]
    if value and (not wanted or wanted(fields[i], value)) then
      local n = #changed + 1
      changed[n], old[n], ids[n] = i, fields[i], value:match('^%d+') or '0'
      fields[i] = old[n]:sub(1, -2) .. '1'
      new[2 * n - 1], new[2 * n] = fields[i], value
    end
  end
  for first = 1, #changed, 1000 do
    local last = math.min(first + 999, #changed)
    count_read(counts, {unpack(ids, first, last)}) -- first, as it fails if counts has a wrong type
    redis.call('HDEL', hash, unpack(old, first, last))
    redis.call('HSET', hash, unpack(new, 2 * first - 1, 2 * last))
  end
  write_rows(list, fields, changed)
  return #changed, old
end
