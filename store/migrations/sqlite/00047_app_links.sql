-- +goose Up

-- Where the users of an app read notices; see notifier.AppPlaces. Empty: not given.
ALTER TABLE apps ADD COLUMN base         TEXT NOT NULL DEFAULT '';
ALTER TABLE apps ADD COLUMN inbox_url    TEXT NOT NULL DEFAULT '';
ALTER TABLE apps ADD COLUMN settings_url TEXT NOT NULL DEFAULT '';

-- The app that brought a user, or whose token last said something about them; 0: none.
ALTER TABLE users ADD COLUMN app_id INTEGER NOT NULL DEFAULT 0;
-- A proxy or an identity provider has signed the user in here, so that links to our own pages open for them.
ALTER TABLE users ADD COLUMN signs_in BOOLEAN NOT NULL DEFAULT FALSE;
