-- +goose Up

-- The time zone of a user's browser, or what their app says, and when it was stored, in ms. It counts while
-- the user has chosen no zone themselves; empty: none is known.
ALTER TABLE users ADD COLUMN zone_seen TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN zone_seen_at INTEGER NOT NULL DEFAULT 0;

-- When users who have not chosen are told by mail: the value of the server that started last, and since when
-- they are told at all, in ms. Nothing older is told to them.
CREATE TABLE reach_defaults (
    kind  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL,
    since INTEGER NOT NULL
);

-- Addresses of users who have not chosen were switched off while that was the default. They follow the
-- default from now on, and tell nothing from before.
UPDATE targets SET told = CASE WHEN told > CAST(strftime('%s', 'now') AS INTEGER) * 1000 THEN told ELSE CAST(strftime('%s', 'now') AS INTEGER) * 1000 END
    WHERE kind = 'mail' AND state = 'off' AND seq IN (SELECT seq FROM users WHERE mail_when = '');
