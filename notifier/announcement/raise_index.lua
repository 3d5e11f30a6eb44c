-- raise_index.lua: make the version of an index later than any that a reader received in another audience. Nothing
-- else changes.
--
-- uses: publish_turn, read_clock
--
-- KEYS[1] aver     version of the index
-- KEYS[2] marked   seqs by the version of their last change
-- ARGV[1] floor    the latest of those that is known; forgotten ones are at least a minute old
-- ARGV[2] channel  channel for the turns of the audience
--
-- Returns 1 when it was raised; 0 when it was already later; -1 when it is lost.
local aver, marked, floor, channel = KEYS[1], KEYS[2], tonumber(ARGV[1]), ARGV[2]

local stored, now = redis.call('GET', aver), read_clock()
if not stored then return -1 end
floor = math.max(floor, now - 60000)
if tonumber(stored) > floor then return 0 end
publish_turn(aver, marked, channel, {aver = tonumber(stored)}, floor, now, {})
return 1
