-- reader_states.lua: return which of the open announcements each of these readers has read. At most
-- 500 readers.
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
-- Returns {readers, then for each: the later of aver and the reader's own version; a word with a
-- letter for each announcement: 1 read, 0 unread, - not visible}; -1 if part of it is lost; -2
-- if the caller's index is old.
local aver, marked, version, tops = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
local bitmaps = KEYS[3] and {unpack(KEYS, 3)} or {}

local fault = check_index(aver, version, bitmaps)
if fault then return fault end
local seqs, fields, letters = {}, {}, {}
for i = 3, #ARGV do
  local n = i - 2
  seqs[n], letters[n] = ARGV[i], {}
  fields[3 * n - 2], fields[3 * n - 1], fields[3 * n] = 'GET', 'u1', ARGV[i]
end
local place = 0
for word in tops:gmatch('%S+') do
  place = place + 1
  local top = tonumber(word)
  for n, bit in ipairs(get_bits(bitmaps[place], seqs, fields)) do
    letters[n][place] = (top == 0 or tonumber(seqs[n]) <= top) and tostring(bit) or '-'
  end
end
local reply, stored = {#seqs}, tonumber(version)
for n, own in ipairs(redis.call('ZMSCORE', marked, unpack(seqs))) do
  reply[2 * n], reply[2 * n + 1] = math.max(stored, tonumber(own or 0)), table.concat(letters[n])
end
return reply
