-- start_bits.lua: make a bitmap count reads since the given edit. If the edit is later than the
-- stored one, the bitmap is emptied. If it is earlier, SQL was restored from a backup, and the bits
-- stay. The marks of changed segments stay as well: a flush in progress has the old bits, which SQL
-- drops, and the next flush saves the new ones.
--
-- shared
-- uses: reads_from, set_reads_from
--
-- Returns nothing.
local function start_bits(bits, dirty, id, from)
  if reads_from(dirty, id) < tonumber(from) then
    local last = 8 * redis.call('STRLEN', bits) - 1
    redis.call('UNLINK', bits)
    redis.call('SETBIT', bits, last, 0)
    redis.call('SETBIT', bits, 0, 1)
  end
  set_reads_from(dirty, id, from)
end
