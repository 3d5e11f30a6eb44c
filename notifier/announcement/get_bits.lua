-- get_bits.lua: read the bits of seqs in one bitmap. fields contains the same seqs as arguments of BITFIELD_RO, which
-- reads them in one call. For a single seq, and where BITFIELD_RO is missing (miniredis), it makes a call for each.
--
-- shared
--
-- Returns a list of 0 and 1.
local function get_bits(bits, seqs, fields)
  local values = #seqs > 1 and redis.pcall('BITFIELD_RO', bits, unpack(fields))
  if values and not values.err then return values end
  values = {}
  for i, seq in ipairs(seqs) do values[i] = redis.call('GETBIT', bits, seq) end
  return values
end
