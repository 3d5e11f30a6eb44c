-- write_rows.lua: write changed fields into the list, at the ascending indexes in changed. A few
-- are set one by one; for more, the top of the list down to the last changed row is rewritten.
--
-- shared
--
-- Returns nothing.
local function write_rows(list, fields, changed)
  if #changed <= 3 then
    for _, i in ipairs(changed) do redis.call('LSET', list, i - 1, fields[i]) end
    return
  end
  local last = changed[#changed]
  redis.call('LTRIM', list, last, -1)
  for i = last, 1, -1000 do
    local chunk = {}
    for j = i, math.max(i - 999, 1), -1 do chunk[#chunk + 1] = fields[j] end
    redis.call('LPUSH', list, unpack(chunk))
  end
end
