-- deliver_notice.lua: add one notice at the top of the inboxes of some users of a partition, and publish it to each of
-- them. An inbox with a key of a wrong type fails before anything is written to it that a retry would mistake for a
-- delivery.
--
-- uses: event_json, find_earlier, join_group, join_late, mark_delivery, remove_earlier, trim_gone, trim_inbox
--
-- KEYS[1] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[2] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[3] late     users of the partition with notices that SQL does not have in their inboxes yet, by acceptance
-- KEYS[4] counts   N:d (delivered) and N:r (read) per notice of the partition
-- KEYS[5] idle     users of the partition by last use; the score of 0 is the fence
-- KEYS[6..] users  for each user: list, hash, state, gone and archive of the inbox
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
-- ARGV[11] group   lines of a group of this notice alone, see group_json; empty: it has none
-- ARGV[12] fence   its value before SQL was found to have no inbox of these users, which are then created; empty: SQL
--                  may have them
-- ARGV[13..] users  for each user: seq, and the Pub/Sub channel of their changes
--
-- Returns 0 and for each user: the version of the inbox with the notice; 0 when nothing changed, because the notice was
-- here before, was replaced by a newer one, has expired, or is a redelivery not above floor; -1 when the inbox is cold;
-- -9 when it failed. With a single user, a failure is the error of the script.
local expiry, counts, idle, now, cap, counted = KEYS[1], KEYS[4], KEYS[5], tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[8] == '1'
local n = {
  key = ARGV[1], id = ARGV[2], expires = ARGV[3], lasts = tonumber(ARGV[3]), accepted = tonumber(ARGV[7]),
  again = ARGV[9] == '1', lines = ARGV[11], joins = ARGV[11]:byte(1) == 109, order = tonumber(ARGV[10]), unread = ARGV[1] .. ':has_read:0', read = ARGV[1] .. ':has_read:1',
}
local event, alone = '\nnotice ' .. n.id .. ' ' .. n.key .. ' ', n.lines == '' and ARGV[4] or ARGV[4] .. '\n' .. n.lines
local over, fence = n.lasts > 0 and n.lasts <= now, ARGV[12]
local fresh = fence ~= '' and tonumber(redis.call('ZSCORE', idle, '0') or -1) == tonumber(fence)
if counted then redis.call('HLEN', counts) end

local function deliver(list, hash, state, gone, archive, seq, channel)
  local numbers = redis.call('HMGET', state, 'unread', 'ver', 'archived', 'late', 'first')
  local new = not numbers[2]
  if new and (over or not fresh or redis.call('EXISTS', list, hash, gone, archive) > 0) then return -1 end
  if over then return 0 end
  local had, old, value, was, late = find_earlier(n, hash, state, gone, archive, numbers[3])
  if had then return 0 end
  local unread, ver = (numbers[1] or 0) + 1, string.format('%.0f', math.max((numbers[2] or now) + 1, now))
  if late then return join_late(n, hash, state, gone, KEYS[2], now, seq, channel, old, value, numbers) end
  local text = n.joins and old == n.unread and ARGV[4] .. '\n' .. join_group(n, value) or alone
  if old or was then unread = unread - remove_earlier(n, list, hash, state, gone, archive, expiry, seq, ver, old, was) end
  local more = mark_delivery(n, KEYS[2], KEYS[3], expiry, now, seq, ver, numbers[4], numbers[5])
  if new then
    redis.call('ZADD', idle, ARGV[5], seq)
    more[#more + 1] = 'opened'; more[#more + 1] = '0'
  end
  local length = redis.call('LPUSH', list, n.unread)
  redis.call('HSET', hash, n.unread, n.id .. ' ' .. ver .. ' ' .. n.expires .. ' ' .. text)
  local fell, removed = trim_inbox(list, hash, gone, expiry, seq, ver, length - cap)
  if old or was or length > cap then trim_gone(gone, state, now) end
  unread = string.format('%d', unread - fell)
  redis.call('HSET', state, 'unread', unread, 'ver', ver, unpack(more))
  redis.call('PUBLISH', channel, ver .. ' ' .. unread .. event .. event_json(text, ver) .. removed)
  return tonumber(ver)
end

local replies, changed, attempt = {0}, 0, #KEYS > 10 and pcall or function(f, ...) return true, f(...) end
for i = 6, #KEYS, 5 do
  local user = 2 * (i - 6) / 5 + 13
  local done, ver, joined = attempt(deliver, KEYS[i], KEYS[i + 1], KEYS[i + 2], KEYS[i + 3], KEYS[i + 4], ARGV[user], ARGV[user + 1])
  replies[#replies + 1] = done and ver or -9
  if done and (ver > 0 or joined) then changed = changed + 1 end
end
if changed > 0 and counted then redis.call('HINCRBY', counts, n.id .. ':d', changed) end
return replies
