-- count_failure.lua: count a failed attempt for an account, an address and a device,
-- or for none of them if one has failed too often.
--
-- KEYS[1] accounts   ZSET, member: end of the window (ms) * 1024 + number of failures
-- KEYS[2] addresses  same form
-- KEYS[3] devices    same form
-- ARGV[1] window     in ms, from the first failure
-- ARGV[2] room       the maximum size of each set
-- ARGV[3..] quotas   member and limit for each set in turn; member '': skip; limit 0: none
--
-- Returns {0, 0}, or {-1, ms to wait} if nothing was counted.
local accounts, addresses, devices = KEYS[1], KEYS[2], KEYS[3]
local window, room = tonumber(ARGV[1]), tonumber(ARGV[2])

local sets = { accounts, addresses, devices }
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local wait, counted = 0, {}
for i = 3, #ARGV, 2 do
  local set, who, limit = sets[(i - 1) / 2], ARGV[i], tonumber(ARGV[i + 1])
  if who ~= '' then
    local score = tonumber(redis.call('ZSCORE', set, who) or 0)
    if math.floor(score / 1024) <= now then score = (now + window) * 1024 end
    local n = score % 1024
    if limit > 0 and n >= limit then wait = math.max(wait, math.floor(score / 1024) - now) end
    if n < 1023 then score = score + 1 end -- if there is no limit, the count stays at 1023
    counted[#counted + 1] = { set, string.format('%.0f', score), who }
  end
end
if wait > 0 then return { -1, wait } end

for _, c in ipairs(counted) do
  local set = c[1]
  local ended = redis.call('ZRANGEBYSCORE', set, 0, string.format('%.0f', now * 1024), 'LIMIT', 0, 16)
  if #ended > 0 then redis.call('ZREM', set, unpack(ended)) end
  redis.call('ZADD', set, c[2], c[3])
  local over = redis.call('ZCARD', set) - room
  if over > 0 then redis.call('ZPOPMIN', set, over) end
  redis.call('PEXPIRE', set, window)
end
return { 0, 0 }
