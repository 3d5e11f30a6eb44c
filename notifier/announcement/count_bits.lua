-- count_bits.lua: how many readers up to a seq have their bit set; top 0: all. Bit 0
-- is nobody's. Who joined while late joiners saw it may have a bit above.
--
-- Returns the number; -1 when the bitmap is not there.
local function count_bits(bits, top)
  if redis.call('EXISTS', bits) == 0 then return -1 end
  if top == 0 then return redis.call('BITCOUNT', bits) - 1 end
  local bytes = math.floor((top + 1) / 8)
  local n = bytes > 0 and redis.call('BITCOUNT', bits, 0, bytes - 1) or 0
  for bit = 8 * bytes, top do n = n + redis.call('GETBIT', bits, bit) end
  return n - 1
end
