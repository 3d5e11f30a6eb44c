-- mark_bits.lua: set or clear a reader's bit in one open announcement, or in all that the reader
-- sees, and publish that. Only real changes are written and published.
--
-- uses: check_index, read_clock
--
-- KEYS[1] aver     version of the index
-- KEYS[2] marked   seqs by the version of their last change
-- KEYS[3] dirty    ID:SEGMENT that SQL lacks, by time (µs), and 0: the latest time that it has
-- KEYS[4] bits     of the first open announcement; then of the others
-- ARGV[1] version  aver of the caller's index
-- ARGV[2] seq      the reader
-- ARGV[3] channel  channel for the reader's changes
-- ARGV[4] want     1 read, 0 unread
-- ARGV[5] which    place of the announcement to mark; 0: all
-- ARGV[6..] items  two words each: id, top
--
-- Returns {changed, unread, read, the later of aver and the reader's own version, the changed ids};
-- -1 when part of it is lost; -2 when the caller's index is old.
local aver, marked, dirty, version, seq = KEYS[1], KEYS[2], KEYS[3], ARGV[1], ARGV[2]
local want, which = tonumber(ARGV[4]), tonumber(ARGV[5])
local bitmaps = KEYS[4] and {unpack(KEYS, 4)} or {}

local fault = check_index(aver, version, bitmaps)
if fault then return fault end
local now, micros = read_clock()
local segment, ids, sum = math.floor(seq / 32768), {}, {[0] = 0, 0}
for i = 6, #ARGV, 2 do
  local id, top, place = ARGV[i], tonumber(ARGV[i + 1]), (i - 4) / 2
  if top == 0 or tonumber(seq) <= top then
    local bit = redis.call('GETBIT', bitmaps[place], seq)
    if bit ~= want and (which == 0 or which == place) then
      local piece = id .. ':' .. segment
      local before = math.max(redis.call('ZSCORE', dirty, piece) or 0, redis.call('ZSCORE', dirty, '0') or 0)
      redis.call('SETBIT', bitmaps[place], seq, want)
      redis.call('ZADD', dirty, string.format('%.0f', math.max(before + 1, micros)), piece)
      bit, ids[#ids + 1] = want, id
    end
    sum[bit] = sum[bit] + 1
  end
end
local own = tonumber(redis.call('ZSCORE', marked, seq) or 0)
if #ids == 0 then return {0, sum[0], sum[1], math.max(tonumber(version), own)} end

own = string.format('%.0f', math.max(own + 1, version + 1, now))
redis.call('ZREMRANGEBYSCORE', marked, '-inf', string.format('%.0f', now - 60000))
redis.call('ZADD', marked, own, seq)
local line = (want == 1 and 'read ' or 'unread ') .. table.concat(ids, ' ')
if which == 0 then line = 'all' end
redis.call('PUBLISH', ARGV[3], string.format('A %s %d\n%s', own, sum[0], line))
return {#ids, sum[0], sum[1], tonumber(own), unpack(ids)}
