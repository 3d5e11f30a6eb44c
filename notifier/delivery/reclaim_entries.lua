-- reclaim_entries.lua: take over entries that have been unfinished for a while, oldest first.
--
-- KEYS[1] stream
-- ARGV[1] group
-- ARGV[2] member  the new owner
-- ARGV[3] idle    least ms since an entry was handed out
-- ARGV[4] most    entries to look at
-- ARGV[5..] held  ids that the member itself is working on
--
-- Returns a list of {id, how often it was handed out before, fields and values};
-- the error NOGROUP without the group.
local stream = KEYS[1]
local group, member, idle, most = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local held = {}
for i = 5, #ARGV do held[ARGV[i]] = true end
local pending = redis.pcall('XPENDING', stream, group, 'IDLE', idle, '-', '+', most)
if pending.err then return pending end
local taken = {}
for _, p in ipairs(pending) do
  if not held[p[1]] then
    -- XCLAIM skips an entry that was deleted from the stream, and ends its pending state.
    local entry = redis.call('XCLAIM', stream, group, member, idle, p[1])[1]
    if entry then taken[#taken + 1] = {entry[1], p[4], entry[2]} end
  end
end
return taken
