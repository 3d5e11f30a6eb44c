-- group_word.lua: the word in the value of a row that lists the notices of its group; see Members in package notifier.
--
-- shared
--
-- Returns the word; nil for a row without a group.
local function group_word(value)
  return value:match('\n(%a[^\n]*)')
end
