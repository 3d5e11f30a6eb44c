-- deliver_notice.lua: add one notice at the top of the inboxes of some users of a partition, and publish it to each of
-- them. An inbox with a key of a wrong type fails before anything is written to it that a retry would mistake for a
-- delivery.
--
-- uses: expires_soon, mark_expiry, remove_row, trim_gone
--
-- KEYS[1] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[2] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[3] late     users of the partition with notices that only SQL's table of notices has, by acceptance
-- KEYS[4] counts   N:d (delivered) and N:r (read) per notice of the partition
-- KEYS[5] idle     users of the partition by last use; the score of 0 is the fence
-- then for each user:
--   list           inbox, newest first
--   hash           field → ID AT EXPIRY JSON
--   state          unread, ver, opened, floor, archived, late, first
--   gone           notices that left this inbox, by version
--   archive        entry key → ID AT EXPIRY ARCHIVED
-- ARGV[1] key      entry key, without the state
-- ARGV[2] id       notice id
-- ARGV[3] expires  ms, 0 for never
-- ARGV[4] json     content of the entry
-- ARGV[5] now      ms
-- ARGV[6] cap      maximum rows of an inbox
-- ARGV[7] accepted  ms, for a late mark; 0 marks the user as dirty
-- ARGV[8] counted  1 when the notice has more than one recipient
-- ARGV[9] again    1 when the notice is delivered again after a loss of Redis
-- ARGV[10] order   its own id, or the highest id when it was sent: it comes after that notice
-- ARGV[11] fence   its value before SQL was found to have no inbox of these users, which are then created; empty: SQL
--                  may have them
-- ARGV[12..] for each user: seq, and the Pub/Sub channel of their changes
--
-- Returns 0 and for each user: the version of the inbox with the notice; 0 when nothing changed, because the notice was
-- here before, was replaced by a newer one, has expired, or is a redelivery not above floor; -1 when the inbox is cold;
-- -9 when it failed. With a single user, a failure is the error of the script.
local expiry, dirty, late, counts, idle = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local key, id, expires, json = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local now, cap, accepted, counted = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8] == '1'
local again, order, lasts = ARGV[9] == '1', tonumber(ARGV[10]), tonumber(expires)

local unread_field, read_field = key .. ':has_read:0', key .. ':has_read:1'
local event, rest = '\nnotice ' .. id .. ' ' .. key .. ' {"at":', ',' .. json:sub(2)
local fresh = ARGV[11] ~= '' and tonumber(redis.call('ZSCORE', idle, '0') or -1) == tonumber(ARGV[11])
if counted then redis.call('HLEN', counts) end

local function deliver(list, hash, state, gone, archive, seq, channel)
  local numbers = redis.call('HMGET', state, 'unread', 'ver', 'archived', 'late', 'first')
  local new = not numbers[2]
  if new then
    if not fresh or lasts > 0 and lasts <= now or redis.call('EXISTS', list, hash, gone, archive) > 0 then return -1 end
    numbers = {0, now}
  end
  if lasts > 0 and lasts <= now then return 0 end
  local floor = again and redis.call('HGET', state, 'floor')
  if floor and (floor == id or tonumber(floor) > order) then return 0 end
  if redis.call('ZSCORE', gone, id) then return 0 end
  local values = redis.call('HMGET', hash, unread_field, read_field)
  local old = values[1] and unread_field or values[2] and read_field
  local has = old and (values[1] or values[2]):match('^%d+') or '0'
  if has == id or tonumber(has) > order then return 0 end
  local put = numbers[3] and redis.call('HGET', archive, key)
  local was = put and put:match('^%d+') or '0'
  if was == id or tonumber(was) > order then return 0 end

  local unread, ver, more = numbers[1] + 1, string.format('%.0f', math.max(numbers[2] + 1, now)), {}
  if accepted == 0 then
    redis.call('ZADD', dirty, ver, seq)
  elseif not numbers[4] or tonumber(numbers[4]) > accepted then
    redis.call('ZADD', late, accepted, seq)
    more = {'late', ARGV[7]}
  end
  if new then
    redis.call('ZADD', idle, ARGV[5], seq)
    more[#more + 1] = 'opened'; more[#more + 1] = '0'
  end
  if old or put then
    redis.call('LLEN', list)
    redis.call('ZCARD', expiry)
  end
  if old then unread = unread - remove_row(list, hash, gone, expiry, seq, ver, old, 1) end
  if put then
    redis.call('HDEL', archive, key)
    if redis.call('EXISTS', archive) == 0 then redis.call('HDEL', state, 'archived') end
    redis.call('ZADD', gone, 'NX', string.format('%.3f', ver + 0.25), was)
  end
  local first, shares = tonumber(numbers[5] or 0), lasts > 0 and not expires_soon(ver, expires)
  if lasts > 0 and not (shares and first > now and first <= lasts) then
    mark_expiry(expiry, seq, key, ver, expires)
    if shares then more[#more + 1] = 'first'; more[#more + 1] = redis.call('ZSCORE', expiry, seq .. '|') end
  end
  local length = redis.call('LPUSH', list, unread_field)
  redis.call('HSET', hash, unread_field, id .. ' ' .. ver .. ' ' .. expires .. ' ' .. json)

  local removed = ''
  for _ = cap + 1, length do
    local last = redis.call('LINDEX', list, -1)
    unread = unread - remove_row(list, hash, gone, expiry, seq, ver, last, -1)
    removed = removed .. '\nremoved ' .. last:sub(1, -12)
  end
  if old or put or length > cap then trim_gone(gone, state, now) end
  unread = string.format('%d', unread)
  redis.call('HSET', state, 'unread', unread, 'ver', ver, unpack(more))
  redis.call('PUBLISH', channel, ver .. ' ' .. unread .. event .. ver .. rest .. removed)
  return tonumber(ver)
end

local replies, users, changed = {0}, (#KEYS - 5) / 5, 0
for i = 1, users do
  local k, a = 5 * i + 1, 10 + 2 * i
  local reply
  if users == 1 then
    reply = deliver(KEYS[k], KEYS[k + 1], KEYS[k + 2], KEYS[k + 3], KEYS[k + 4], ARGV[a], ARGV[a + 1])
  else
    local done
    done, reply = pcall(deliver, KEYS[k], KEYS[k + 1], KEYS[k + 2], KEYS[k + 3], KEYS[k + 4], ARGV[a], ARGV[a + 1])
    if not done then reply = -9 end
  end
  if reply > 0 then changed = changed + 1 end
  replies[i + 1] = reply
end
if counted and changed > 0 then redis.call('HINCRBY', counts, id .. ':d', changed) end
return replies
