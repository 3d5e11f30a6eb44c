-- +goose Up

-- The app whose key has sent the notice: its notices have keys of their own. 0: it belongs to the installation, as all
-- do that were accepted before.
ALTER TABLE notices ADD COLUMN app_id INTEGER NOT NULL DEFAULT 0;
