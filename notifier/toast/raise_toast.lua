-- raise_toast.lua: queue one toast for some users of a partition and signal each of them.
-- Users for whom it was raised before are skipped, whether or not it was shown.
--
-- uses: read_waiting, redis_time, score_of, settle_toast
--
-- KEYS[1] stream   toasts of the partition
-- KEYS[2] raised   WHAT|SEQ, by time
-- KEYS[3..] users  the pending toasts of each user
-- ARGV[1] what     notice id or +TOKEN: the same value raised again is skipped
-- ARGV[2] notice   notice id; 0: none
-- ARGV[3] key      of the inbox row; empty: none
-- ARGV[4] ends     ms since 1970; 0: never
-- ARGV[5] content  JSON
-- ARGV[6] retention  ms
-- ARGV[7] most     limit on the toasts that wait for one user
-- ARGV[8..] seqs   of the users, each followed by the channel that signals that user
--
-- Returns {users it was queued for, users skipped because their key has the wrong type}.
local stream, raised = KEYS[1], KEYS[2]
local what, notice, key, ends, content = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local retention, most = tonumber(ARGV[6]), tonumber(ARGV[7])
local now = redis_time()
local cut = string.format('%.0f', math.max(now - retention, 0))

local counts, told, refused = {}, {}, 0
for i = 3, #KEYS do counts[i] = redis.pcall('ZCARD', KEYS[i]) end
for i = 8, #ARGV, 2 do
  local pending, count = KEYS[i / 2 - 1], counts[i / 2 - 1]
  local seq, channel = ARGV[i], ARGV[i + 1]
  if type(count) == 'table' then
    refused = refused + 1
  elseif not redis.call('ZSCORE', raised, what .. '|' .. seq) then
    local id = redis.call('XADD', stream, 'MINID', '~', cut, '*',
      'user', seq, 'notice', notice, 'key', key, 'ends', ends, 'content', content)
    redis.call('ZADD', raised, string.format('%.0f', now), what .. '|' .. seq)
    redis.call('ZADD', pending, score_of(id), id)
    redis.call('PEXPIRE', pending, retention)
    if count >= most then
      for _, old in ipairs(redis.call('ZRANGE', pending, 0, count - most)) do settle_toast(stream, pending, old) end
    end
    told[#told + 1] = channel
  end
end
if #told > 0 then
  read_waiting(stream)
  for _, channel in ipairs(told) do redis.call('PUBLISH', channel, 'T') end
  redis.call('PEXPIRE', stream, retention)
  redis.call('PEXPIRE', raised, retention)
end
return {#told, refused}
