-- get_bits.lua: the bits of seqs in one bitmap. fields is the same seqs as
-- BITFIELD_RO wants them: one call for all; where it is lacking (miniredis), one
-- for each.
--
-- Returns a list of 0 and 1.
local function get_bits(bits, seqs, fields)
  local values = redis.pcall('BITFIELD_RO', bits, unpack(fields))
  if not values.err then return values end
  values = {}
  for i, seq in ipairs(seqs) do values[i] = redis.call('GETBIT', bits, seq) end
  return values
end
