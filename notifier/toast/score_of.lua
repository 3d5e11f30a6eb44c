-- score_of.lua: where a toast stands among those of its user. Ids of the same ms would
-- be sorted as text.
--
-- Returns the ms of its id, and its number in that ms as the fraction.
local function score_of(id)
  local ms, n = id:match('^(%d+)-(%d+)$')
  return string.format('%.4f', ms + n / 4096)
end
