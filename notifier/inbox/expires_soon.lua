-- expires_soon.lua: whether a row has a member SEQ|KEY of its own in expiry: it
-- lives for 7 days at most. All others of an inbox share the member SEQ|, which
-- never stands later than the first of them expires; when it is due the whole
-- inbox is looked at. It may stand earlier, which costs one look.
--
-- Returns true or false.
local function expires_soon(at, expires) return expires - at <= 604800000 end
