-- match_section.lua: whether rows are of given types, a scope and an app. types is a list with commas before, between and
-- after its elements, or empty for any; scope and app are a name after =, or empty for any.
--
-- shared
-- uses: row_label
--
-- Returns a function of a row's field and value, and whether it needs the value.
local function match_section(types, scope, app)
  return function(field, value)
    return (types == '' or types:find(',' .. row_label('type', field) .. ',', 1, true) ~= nil)
      and (scope == '' or scope == '=' .. row_label('scope', field, value))
      and (app == '' or app == '=' .. row_label('app', field, value))
  end, scope .. app ~= ''
end
