-- +goose Up

-- The notices of rows that stand for several, as words by the notice of the row; see encodeMembers.
ALTER TABLE inbox_snapshots ADD COLUMN members BLOB NOT NULL DEFAULT x'';
