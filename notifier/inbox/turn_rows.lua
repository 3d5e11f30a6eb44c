-- turn_rows.lua: turn the unread rows of an inbox to read, those with at ≤ upto,
-- or all when upto is nil. top is the top of the list, as far as it is known.
--
-- Returns how many rows it turned.
local function turn_rows(list, hash, counts, top, unread, upto)
  local from, at, fields = find_unread(list, top, unread)
  local changed = {}
  for first = 1, #from, 1000 do
    local old, new, ids, marks = {}, {}, {}, {}
    for i, value in ipairs(redis.call('HMGET', hash, unpack(from, first, math.min(first + 999, #from)))) do
      local id, stored = (value or ''):match('^(%d+) (%d+)')
      if value and (not upto or (tonumber(stored) or 0) <= upto) then
        local field, place = from[first + i - 1], at[first + i - 1]
        fields[place] = field:sub(1, -2) .. '1'
        changed[#changed + 1] = place
        old[#old + 1] = field
        new[#new + 1] = fields[place]
        new[#new + 1] = value
        ids[#ids + 1] = id or '0'
        marks[#marks + 1] = (id or '0') .. ':d'
      end
    end
    if #old > 0 then
      redis.call('HDEL', hash, unpack(old))
      redis.call('HSET', hash, unpack(new))
      for i, counted in ipairs(redis.call('HMGET', counts, unpack(marks))) do
        if counted then redis.call('HINCRBY', counts, ids[i] .. ':r', 1) end
      end
    end
  end
  write_rows(list, fields, changed)
  return #changed
end
