-- +goose Up

-- Users that an app brought: their name for people, the language that the app suggests, the iat of the
-- newest token that said anything about them, and since when they are signed out, in s: tokens issued
-- before are refused.
ALTER TABLE users ADD COLUMN display TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN app_locale TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN profile_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN signed_out BIGINT NOT NULL DEFAULT 0;

-- The app whose tokens give the role; 0: it was given by hand.
ALTER TABLE role_members ADD COLUMN app_id BIGINT NOT NULL DEFAULT 0;

-- Deleted users whose tokens may still be valid: those issued before signed_out, in s, are refused, so
-- that an open tab does not bring the user back. Of the name only a hash is kept. until is in ms.
CREATE TABLE former_users (
    name_hash  BYTEA  NOT NULL PRIMARY KEY,
    signed_out BIGINT NOT NULL,
    until      BIGINT NOT NULL
);

-- The users that an app has brought lately: level falls by 50 a second, and 1,000 is full.
ALTER TABLE apps ADD COLUMN arrivals DOUBLE PRECISION NOT NULL DEFAULT 0;
ALTER TABLE apps ADD COLUMN arrived_at BIGINT NOT NULL DEFAULT 0;
