-- archive_rows.lua: move entries from an inbox to its archive, for good or until they are due to come back. An archived
-- entry counts as read; if it was unread, its id is kept, so that it can return unread.
--
-- uses: count_read, count_snoozed, find_row, keep_ids, kept_ids, remove_row, save_state, shares_row, trim_archive, trim_gone
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened, kept, archived
-- KEYS[4] gone     notices that left this inbox, by version
-- KEYS[5] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[6] dirty    users of the partition whose state SQL does not have yet, by ver
-- KEYS[7] counts   N:d (delivered) and N:r (read) per notice of the partition
-- KEYS[8] archive  entry key → ID AT EXPIRY ARCHIVED, or ID AT EXPIRY DUE z
-- ARGV[1] now      ms
-- ARGV[2] seq      user
-- ARGV[3] channel  Pub/Sub channel of this user's changes
-- ARGV[4] room     maximum entries of an archive
-- ARGV[5] when     ms: now, or when snoozed entries are due to come back
-- ARGV[6] mark     z for snoozed entries, otherwise empty
-- ARGV[7] most     maximum snoozed entries
-- ARGV[8..] keys   entry keys, without the state
--
-- Returns {moved, unread, ver, fields as they were}; -1 when the inbox is cold; -2 when none of the
-- keys is in this inbox; -7 when too many entries would be snoozed. Other keys are skipped.
local list, hash, state, gone, expiry, archive = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[8]
local now, seq = tonumber(ARGV[1]), ARGV[2]

local numbers = redis.call('HMGET', state, 'unread', 'ver', 'kept')
if not numbers[2] then return -1 end
local fields, heads, read, seen, events = {}, {}, {}, {}, {}
local ids, kept = kept_ids(numbers[3])
for i = 8, #ARGV do
  local field, value = find_row(hash, ARGV[i])
  local head = field and not seen[field] and value:match('^%d+ %d+ %d+')
  if head then
    local id = head:match('^%d+')
    local word = ARGV[6] .. (shares_row(value) or '')
    seen[field] = true; fields[#fields + 1] = field; heads[#heads + 1] = head .. ' ' .. ARGV[5] .. (word ~= '' and ' ' .. word or '')
    if field:byte(-1) == 49 then
      kept[id] = nil
    else
      read[#read + 1] = id
      if not kept[id] then ids[#ids + 1], kept[id] = id, true end
    end
  end
end
if #fields == 0 then return -2 end
if ARGV[6] ~= '' and count_snoozed(archive, gone, now) + #fields > tonumber(ARGV[7]) then return -7 end
local ver, unread = string.format('%.0f', math.max(numbers[2] + 1, now)), numbers[1] - #read
redis.call('LLEN', list) -- a key of a wrong type must fail before anything is written
redis.call('ZCARD', gone)
redis.call('ZCARD', expiry)
trim_archive(archive, gone, now, ver, ARGV[4] - #fields)
redis.call('ZADD', KEYS[6], ver, seq)
if #read > 0 then count_read(KEYS[7], read) end
for i, field in ipairs(fields) do
  local key = field:sub(1, -12)
  redis.call('HSET', archive, key, heads[i])
  remove_row(list, hash, gone, expiry, seq, ver, field, 1)
  redis.call('ZREM', gone, (heads[i]:match('^%d+')))
  events[i] = 'removed ' .. key
end
keep_ids(state, ids, kept)
trim_gone(gone, state, now)
local reply = save_state(state, ARGV[3], #fields, unread, ver, events, 'archived', '1')
reply[4] = fields
return reply
