-- score_of.lua: the score of a toast in its user's pending set. With equal scores, ids of the
-- same millisecond would be sorted as text.
--
-- shared
--
-- Returns the ms of its id, with its sequence number in that ms as the fraction.
local function score_of(id)
  local ms, n = id:match('^(%d+)-(%d+)$')
  return string.format('%.4f', ms + n / 4096)
end
