-- get_bits.lua: the bits of seqs in one bitmap. fields is the same seqs as
-- BITFIELD_RO wants them: one call for many. For one, and where that is lacking
-- (miniredis), a call for each.
--
-- Returns a list of 0 and 1.
local function get_bits(bits, seqs, fields)
  local values = #seqs > 1 and redis.pcall('BITFIELD_RO', bits, unpack(fields))
  if values and not values.err then return values end
  values = {}
  for i, seq in ipairs(seqs) do values[i] = redis.call('GETBIT', bits, seq) end
  return values
end
