-- +goose Up

-- The time of the last edit of an announcement, in ms; 0: never edited.
ALTER TABLE announcements ADD COLUMN edited_at BIGINT NOT NULL DEFAULT 0;

-- The revision of the last edit that marked it as unread for everybody; 0: no such edit. Only
-- reads since then are stored.
ALTER TABLE announcements ADD COLUMN reads_from BIGINT NOT NULL DEFAULT 0;
