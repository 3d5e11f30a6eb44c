-- expires_soon.lua: whether a row has its own member SEQ|KEY in expiry, because it expires within 7 days of its
-- delivery. All other rows of an inbox share the member SEQ|, whose score is never later than the first of their
-- expiries; when it is due, the whole inbox is checked. The score may be earlier, which causes one superfluous check.
--
-- shared
--
-- Returns true or false.
local function expires_soon(at, expires) return expires - at <= 604800000 end
