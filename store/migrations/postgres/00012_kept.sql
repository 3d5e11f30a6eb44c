-- +goose Up

-- The notices that each user marked unread, which stay unread when the user opens the inbox:
-- ids, encoded by snapshot_code.go.
ALTER TABLE inbox_snapshots ADD COLUMN kept BYTEA NOT NULL DEFAULT '';
