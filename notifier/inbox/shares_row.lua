-- shares_row.lua: whether a row stands for a notice and others. With id nil: whether it stands for several notices.
--
-- shared
-- uses: group_word
--
-- Returns the word of its group, see group_word; nil or false if it does not.
local function shares_row(value, id)
  local word = group_word(value)
  return word and not word:find('^%a1,') and (not id or (word .. ','):find(',' .. id .. '=', 1, true)) and word
end
