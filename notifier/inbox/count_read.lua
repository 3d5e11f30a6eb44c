-- count_read.lua: add 1 to the readers of each of these notices, at most 1000. Only notices with more than one
-- recipient are counted: those with N:d. If N:r exists, N:d need not be read.
--
-- shared
--
-- Returns nothing.
local function count_read(counts, ids)
  local marks, new, first, delivered = {}, {}, {}, {}
  for i = 1, #ids do marks[i] = ids[i] .. ':r' end
  for i, read in ipairs(redis.call('HMGET', counts, unpack(marks))) do
    if read then
      new[#new + 1] = marks[i]; new[#new + 1] = string.format('%d', read + 1)
    else
      first[#first + 1] = marks[i]; delivered[#delivered + 1] = ids[i] .. ':d'
    end
  end
  if #first > 0 then delivered = redis.call('HMGET', counts, unpack(delivered)) end
  for i, mark in ipairs(first) do
    if delivered[i] then new[#new + 1] = mark; new[#new + 1] = '1' end
  end
  if #new > 0 then redis.call('HSET', counts, unpack(new)) end
end
