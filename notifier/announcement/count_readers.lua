-- count_readers.lua: how many of the open announcements each of some readers has read,
-- and how many not. At most 500 readers.
--
-- KEYS[1] aver      version of the index
-- KEYS[2] marked    seqs by the version of their last change
-- KEYS[3] bits      of the first open announcement; those of the others follow
-- ARGV[1] version   aver of the caller's index
-- ARGV[2] tops      of the bitmaps: the highest seq that sees it, 0: everybody does
-- ARGV[3..] seqs    the readers
--
-- Returns {readers, then of each: unread, read, the later of aver and his own
-- version}; -1 when a piece is lost; -2 when the caller's index is old.
local aver, marked, version, tops = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
local bitmaps = KEYS[3] and {unpack(KEYS, 3)} or {}

local fault = check_index(aver, version, bitmaps)
if fault then return fault end
local seqs, fields, numbers, sum, highest = {}, {}, {}, {}, {}
for top in tops:gmatch('%S+') do highest[#highest + 1] = tonumber(top) end
for i = 3, #ARGV do
  local n = i - 2
  seqs[n], numbers[n], sum[2 * n - 1], sum[2 * n] = ARGV[i], tonumber(ARGV[i]), 0, 0
  fields[3 * n - 2], fields[3 * n - 1], fields[3 * n] = 'GET', 'u1', ARGV[i]
end
for i, bits in ipairs(bitmaps) do
  local top = highest[i]
  for n, bit in ipairs(get_bits(bits, seqs, fields)) do
    if top == 0 or numbers[n] <= top then
      sum[2 * n - 1 + bit] = sum[2 * n - 1 + bit] + 1
    end
  end
end
local reply, stored = {#seqs}, tonumber(version)
for n, own in ipairs(redis.call('ZMSCORE', marked, unpack(seqs))) do
  reply[3 * n - 1], reply[3 * n], reply[3 * n + 1] = sum[2 * n - 1], sum[2 * n], math.max(stored, tonumber(own or 0))
end
return reply
