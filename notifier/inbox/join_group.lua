-- join_group.lua: add a notice to the group of an unread row.
--
-- shared
-- uses: group_word
--
-- n is the notice, with its id, and the lines of a group of it alone. late is set if the row is that of a later notice. The
-- limits are those of package notifier: 3 actors are shown, 50 others are counted, and 200 notices are listed.
-- Returns the lines that follow the JSON of the row, see group_json.
local function join_group(n, value, late)
  local word = group_word(value) or 'g1,' .. value:match('^%d+') .. '='
  local mark, times, many, list = word:match('^(%a)(%d+)(%+?)(.*)$')
  local own, who, actor = n.lines:match('^(%a)[^=]*=([^\n]*)\n?(.*)$')
  local ids, whos, count, known, lines, seen = {}, {}, {}, {}, {}, 1 -- the first line is the word
  for id, of in list:gmatch(',(%d+)=([^,]*)') do ids[#ids + 1] = id; whos[#whos + 1] = of end
  for line in value:gmatch('\n([^\n]*)') do lines[#lines + 1] = line end
  for i = #ids, 1, -1 do
    if whos[i] ~= '' and not known[whos[i]] then seen = seen + 1; known[whos[i]] = lines[seen] or '' end
  end
  local place = #ids + 1
  while late and place > 1 and tonumber(ids[place - 1]) > tonumber(n.id) do place = place - 1 end
  table.insert(ids, place, n.id)
  table.insert(whos, place, who)
  local latest = who ~= ''
  for i = place + 1, #whos do latest = latest and whos[i] ~= who end
  if latest then known[who] = actor end
  local shown, actors = {}, 0
  for i = #ids, 1, -1 do
    local of = whos[i]
    if of ~= '' and not count[of] then
      actors = actors + 1
      if actors <= 3 then shown[actors] = known[of] end
    end
    count[of] = (count[of] or 0) + 1
  end
  if actors > 50 then many = '+' end
  local first = #ids > 200 and 1
  while first and many == '' and whos[first] ~= '' and count[whos[first]] == 1 do first = first + 1 end -- it counts an actor
  if first then table.remove(ids, first); table.remove(whos, first) end
  for i = 1, #ids do ids[i] = ids[i] .. '=' .. whos[i] end
  word = (late and mark or own) .. string.format('%d', times + 1) .. many .. ',' .. table.concat(ids, ',')
  return word .. (#shown > 0 and '\n' .. table.concat(shown, '\n') or '')
end
