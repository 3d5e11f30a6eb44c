-- raise_toast.lua: put one toast by for some users of a partition and say so. What was
-- raised for a user before is left out, whatever has become of it.
--
-- KEYS[1] stream   toasts of the partition
-- KEYS[2] raised   WHAT|SEQ, by time
-- KEYS[3..] users  their pending toasts
-- ARGV[1] what     the notice, or what else makes a repeated raise the same
-- ARGV[2] notice   its id; 0: none
-- ARGV[3] key      of its row in the inbox; empty: none
-- ARGV[4] ends     ms; 0: never
-- ARGV[5] content  JSON
-- ARGV[6] retention  ms
-- ARGV[7] most     toasts that wait for one user
-- ARGV[8..] seqs   of each user, and after each the channel where he is told
--
-- Returns {for how many, how many users cannot be served because their key is of a wrong type}.
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
