-- trim_archive.lua: remove from the archive the entries that have been in it for 30 days, and the oldest ones if
-- there is no room. Snoozed entries stay while their notices are valid. The notices of removed entries are added to gone in
-- version ver, as read ones that made room; see remove_row.
--
-- shared
-- uses: is_snoozed
--
-- Returns nothing.
local function trim_archive(archive, gone, now, ver, room)
  local all, rows = redis.call('HGETALL', archive), {}
  for i = 1, #all, 2 do
    local id, at, put, mark = all[i + 1]:match('^(%d+) (%d+) %d+ (%d+) ?(z?)')
    rows[#rows + 1] = {key = all[i], id = id or '0', at = tonumber(at or 0), put = tonumber(put or 0), ends = mark == 'z', stays = is_snoozed(all[i + 1], gone, now)}
  end
  table.sort(rows, function(a, b) return a.put > b.put or a.put == b.put and a.at > b.at end)
  for i, row in ipairs(rows) do
    if not row.stays and (row.ends or i > room or row.put <= now - 2592000000) then
      redis.call('ZADD', gone, 'NX', string.format('%.4f', ver + 0.3125), row.id)
      redis.call('HDEL', archive, row.key)
    end
  end
end
