-- count_bits.lua: count the readers up to a seq whose bit is set; top 0: all. Bit 0 belongs to no
-- user. Users who joined while late joiners could see it may have a bit above top.
--
-- shared
--
-- Returns the number; -1 when there is no bitmap.
local function count_bits(bits, top)
  if redis.call('EXISTS', bits) == 0 then return -1 end
  if top == 0 then return redis.call('BITCOUNT', bits) - 1 end
  local bytes = math.floor((top + 1) / 8)
  local n = bytes > 0 and redis.call('BITCOUNT', bits, 0, bytes - 1) or 0
  for bit = 8 * bytes, top do n = n + redis.call('GETBIT', bits, bit) end
  return n - 1
end
