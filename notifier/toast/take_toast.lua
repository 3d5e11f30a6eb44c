-- take_toast.lua: claim the toasts that wait for one user, so that they can be shown. Toasts that no longer need to
-- be shown are settled instead: they are too old, ended or malformed, or their inbox row is read or gone.
--
-- uses: find_holder, read_row, read_toast, redis_time, settle_toast
--
-- KEYS[1] stream   toasts of the partition
-- KEYS[2] pending  the user's pending toasts, by the time they were raised
-- KEYS[3] state    of the user's inbox; missing: the inbox is cold, its rows are unknown
-- KEYS[4] hash     of the user's inbox: field → ID AT EXPIRY JSON
-- ARGV[1] seq      of the user
-- ARGV[2] consumer that claims
-- ARGV[3] now      ms since 1970, to find ended toasts and expired rows
-- ARGV[4] hold     ms: a toast that another consumer has held this long may be claimed
-- ARGV[5] age      ms: an older toast is not shown if it has a notice
--
-- Returns {number claimed, ms until the next toast held elsewhere may be claimed or 0, number
-- settled}, followed by {id, notice, key, at, raised, tries, JSON} for each. The lines of a group may follow the JSON.
local stream, pending, state, hash = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local seq, consumer = ARGV[1], ARGV[2]
local now, hold, age = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])

local ids = redis.call('ZRANGE', pending, 0, -1, 'WITHSCORES')
if not ids[1] then return {0, 0, 0} end
local warm, clock = redis.call('EXISTS', state) == 1, redis_time()
local reply, again, settled = {0, 0, 0}, 0, 0
for i = 1, #ids, 2 do
  local id, raised = ids[i], math.floor(tonumber(ids[i + 1]) or 2 ^ 53)
  local found = redis.pcall('XRANGE', stream, id, id)
  local f = found[1] and found[1][2]
  if found.err and not found.err:find('Invalid stream ID', 1, true) then return found end
  if not f or f[2] ~= seq then
    redis.call('ZREM', pending, id)
    if not f then redis.pcall('XACK', stream, 'toasts', id) end
  else
    local notice, key, ends, json = read_toast(f)
    local at = notice and raised < 2 ^ 53 and '0' or nil
    if at and warm and key ~= '' then at, json = read_row(hash, key, notice, now) end
    if not at or ends ~= 0 and ends <= now or notice ~= '0' and clock - raised > age then
      settle_toast(stream, pending, id)
      settled = settled + 1
    else
      local held = find_holder(stream, id)
      local free = 0
      if held and held[2] ~= 'waiting' and held[2] ~= consumer then free = hold - held[3] end
      if free > 0 then
        again = again > 0 and math.min(again, free) or free
      else
        redis.call('XCLAIM', stream, 'toasts', consumer, 0, id, 'FORCE')
        reply[#reply + 1] = {id, notice, key, at, string.format('%.0f', raised), held and held[4] or 1, json}
      end
    end
  end
end
reply[1], reply[2], reply[3] = #reply - 3, again, settled
return reply
