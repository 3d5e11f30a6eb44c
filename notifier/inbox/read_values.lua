-- read_values.lua: get the values of the rows at some indexes of fields. known contains the values of the first rows,
-- as far as they have been read.
--
-- shared
--
-- Returns the values by index; false for a row without a value.
local function read_values(hash, fields, at, known)
  local values, missing, names = {unpack(known)}, {}, {}
  for _, i in ipairs(at) do
    if values[i] == nil then missing[#missing + 1] = i; names[#names + 1] = fields[i] end
  end
  for first = 1, #names, 1000 do
    local found = redis.call('HMGET', hash, unpack(names, first, math.min(first + 999, #names)))
    for i = 1, #found do values[missing[first + i - 1]] = found[i] end
  end
  return values
end
