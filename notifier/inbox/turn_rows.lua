-- turn_rows.lua: turn unread rows of an inbox to read, those with at ≤ upto, or
-- all when upto is nil. fields is the whole list. Few rows are set one by one;
-- for more the top of the list, down to the last turned row, is written anew.
--
-- Returns how many rows it turned.
local function turn_rows(list, hash, counts, fields, upto)
  local from, at = {}, {}
  for i, field in ipairs(fields) do
    if field:byte(-1) == 48 then from[#from + 1] = field; at[#at + 1] = i end
  end
  local top, turned = {}, 0
  for first = 1, #from, 1000 do
    local last = math.min(first + 999, #from)
    local values = redis.call('HMGET', hash, unpack(from, first, last))
    local old, new, ids, marks = {}, {}, {}, {}
    for i, value in ipairs(values) do
      local id, stored = (value or ''):match('^(%d+) (%d+)')
      if value and (not upto or (tonumber(stored) or 0) <= upto) then
        local field = from[first + i - 1]
        local read = field:sub(1, -2) .. '1'
        old[#old + 1] = field
        new[#new + 1] = read
        new[#new + 1] = value
        ids[#ids + 1] = id or '0'
        marks[#marks + 1] = (id or '0') .. ':d'
        top[#top + 1] = at[first + i - 1]
        fields[at[first + i - 1]] = read
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
  if #top <= 3 then
    for _, i in ipairs(top) do redis.call('LSET', list, i - 1, fields[i]) end
    return #top
  end
  local last = top[#top]
  redis.call('LTRIM', list, last, -1)
  for i = last, 1, -1000 do
    local chunk = {}
    for j = i, math.max(i - 999, 1), -1 do chunk[#chunk + 1] = fields[j] end
    redis.call('LPUSH', list, unpack(chunk))
  end
  return #top
end
