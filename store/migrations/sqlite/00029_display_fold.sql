-- +goose Up

-- The case-folded name for people, by which staff find a user. A program of an older version that
-- changes the name leaves it as it was.
ALTER TABLE users ADD COLUMN display_fold TEXT NOT NULL DEFAULT '';
UPDATE users SET display_fold = lower(display) WHERE display <> '';
CREATE INDEX users_display_fold ON users (display_fold, name) WHERE display_fold <> '';
