-- +goose Up

-- When the first snoozed entry of each user is due to come back, in ms; 0: there is none.
ALTER TABLE inbox_snapshots ADD COLUMN wakes BIGINT NOT NULL DEFAULT 0;
CREATE INDEX inbox_snapshots_wakes ON inbox_snapshots (wakes, seq) WHERE wakes > 0;
