-- count_readers.lua: count how many of the open announcements each of some readers has read and not
-- read. At most 500 readers.
--
-- uses: check_index, get_bits
--
-- KEYS[1] aver      version of the index
-- KEYS[2] marked    seqs by the version of their last change
-- KEYS[3] bits      of the first open announcement; then of the others
-- ARGV[1] version   aver of the caller's index
-- ARGV[2] tops      per bitmap: the highest seq that sees the announcement; 0: all users
-- ARGV[3..] seqs    the readers
--
-- Returns {readers, then for each: unread, read, the later of aver and the reader's own version};
-- -1 when part of it is lost; -2 when the caller's index is old.
local aver, marked, version, tops = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
local bitmaps = KEYS[3] and {unpack(KEYS, 3)} or {}

local fault = check_index(aver, version, bitmaps)
if fault then return fault end
local seqs, fields, numbers, seen, read, last = {}, {}, {}, {}, {}, 0
for i = 3, #ARGV do
  local n, number = i - 2, tonumber(ARGV[i])
  seqs[n], numbers[n], seen[n], read[n], last = ARGV[i], number, 0, 0, math.max(last, number)
  fields[3 * n - 2], fields[3 * n - 1], fields[3 * n] = 'GET', 'u1', ARGV[i]
end
local place, all = 0, 0 -- all is the number of announcements that every reader sees
for word in tops:gmatch('%S+') do
  place = place + 1
  local top, values = tonumber(word), get_bits(bitmaps[place], seqs, fields)
  if top == 0 or last <= top then
    all = all + 1
    for n = 1, #values do read[n] = read[n] + values[n] end
  else
    for n = 1, #values do
      if numbers[n] <= top then seen[n], read[n] = seen[n] + 1, read[n] + values[n] end
    end
  end
end
local reply, stored = {#seqs}, tonumber(version)
for n, own in ipairs(redis.call('ZMSCORE', marked, unpack(seqs))) do
  reply[3 * n - 1], reply[3 * n] = all + seen[n] - read[n], read[n]
  reply[3 * n + 1] = math.max(stored, tonumber(own or 0))
end
return reply
