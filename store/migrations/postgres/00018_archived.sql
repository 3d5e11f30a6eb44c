-- +goose Up

-- The entries that each user archived: key, notice, position, expiry and time of archiving,
-- encoded by snapshot_code.go.
ALTER TABLE inbox_snapshots ADD COLUMN archived BYTEA NOT NULL DEFAULT '';
