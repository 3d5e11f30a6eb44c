-- regroup_row.lua: replace the text of a row that stands for several notices, after one of them was edited or retracted.
-- The row keeps its place and its state.
--
-- uses: changed_event, event_json, find_row, keep_ids, kept_ids, mark_expiry, remove_row, save_state, trim_gone
--
-- KEYS[1] list     inbox, newest first
-- KEYS[2] hash     field → ID AT EXPIRY JSON
-- KEYS[3] state    unread, ver, opened, kept, whole
-- KEYS[4] gone     notices that left this inbox, by version
-- KEYS[5] expiry   SEQ|KEY and SEQ| of the partition, by expiry
-- KEYS[6] dirty    users of the partition whose state SQL does not have yet, by ver
-- ARGV[1] key      entry key, without the state
-- ARGV[2] old      value of the row from which the new one was made
-- ARGV[3] new      new value; empty to remove the row
-- ARGV[4] now      ms
-- ARGV[5] seq      user
-- ARGV[6] channel  Pub/Sub channel of this user's changes
--
-- Returns 1; 0 when the row has changed: start again; -1 when the inbox is cold.
local list, hash, state, gone, expiry = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local key, old, new, now, seq = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]

local numbers = redis.call('HMGET', state, 'unread', 'ver', 'kept')
if not numbers[2] then return -1 end
local field, value = find_row(hash, key)
if value ~= old then return 0 end
redis.call('LLEN', list) -- a key of a wrong type must fail before anything is written
redis.call('ZCARD', gone)
redis.call('ZCARD', expiry)
local ver, unread, events = string.format('%.0f', math.max(numbers[2] + 1, now)), tonumber(numbers[1]), {}
redis.call('ZADD', KEYS[6], ver, seq)
if new == '' then
  local left = redis.call('ZSCORE', gone, value:match('^%d+')) -- it has the score of its retraction, which must stay
  unread, events[1] = unread - remove_row(list, hash, gone, expiry, seq, ver, field, 1), 'removed ' .. key
  if left then redis.call('ZADD', gone, left, (value:match('^%d+'))) end
else
  local was, id, at, expires, text = value:match('^%d+'), new:match('^(%d+) (%d+) (%d+) (.*)$')
  redis.call('HSET', hash, field, new)
  if was == id then
    events[1] = changed_event(field, new)
  else
    local ids, kept = kept_ids(numbers[3])
    if kept[was] then
      for i, one in ipairs(ids) do if one == was then ids[i] = id end end
      keep_ids(state, ids)
    end
    redis.call('ZREM', gone, id)
    mark_expiry(expiry, seq, key, at, expires)
    events = {'removed ' .. key, 'notice ' .. id .. ' ' .. key .. ' ' .. event_json(text, at)}
    if field:byte(-1) ~= 48 then events[3] = 'read ' .. key end
  end
end
trim_gone(gone, state, now)
return save_state(state, ARGV[6], 1, unread, ver, events, 'whole', ver)[1]
