-- clear_toasts.lua: remove old toasts from a partition, and consumers that hold nothing.
-- Trimming removes from the oldest end only, so everything in the pending list before the
-- first remaining entry belongs to entries that are gone.
--
-- uses: redis_time
--
-- KEYS[1] stream     toasts of the partition
-- KEYS[2] raised     WHAT|SEQ, by time
-- ARGV[1] retention  ms
-- ARGV[2] idle       ms: a consumer that holds nothing and has been idle this long is removed
-- ARGV[3] most       limit on the pending entries dropped, and on the raises forgotten, per call
--
-- Returns {entries trimmed, pending entries dropped, consumers removed, raises forgotten, 1 when
-- there is more to do}.
local stream, raised = KEYS[1], KEYS[2]
local retention, idle, most = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local cut = string.format('%.0f', math.max(redis_time() - retention, 0))

local trimmed, dropped, removed = redis.call('XTRIM', stream, 'MINID', cut), 0, 0
local first = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
local left = redis.pcall('XPENDING', stream, 'toasts', '-', first and first[1] or '+', most)
if not left.err then
  for _, p in ipairs(left) do
    if not first or p[1] ~= first[1] then
      redis.call('XACK', stream, 'toasts', p[1])
      dropped = dropped + 1
    end
  end
  for _, flat in ipairs(redis.call('XINFO', 'CONSUMERS', stream, 'toasts')) do
    local c = {}
    for i = 1, #flat, 2 do c[flat[i]] = flat[i + 1] end
    if c.name ~= 'waiting' and c.pending == 0 and c.idle > idle then
      removed = removed + 1
      redis.call('XGROUP', 'DELCONSUMER', stream, 'toasts', c.name)
    end
  end
end
local old = redis.call('ZCOUNT', raised, '-inf', cut)
local forgotten = math.min(old, most)
if forgotten > 0 then redis.call('ZREMRANGEBYRANK', raised, 0, forgotten - 1) end
return {trimmed, dropped, removed, forgotten, (dropped >= most - 1 or old > most) and 1 or 0}
