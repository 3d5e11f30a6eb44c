-- +goose Up

-- What a search looks through: title and sender without case. In notices that
-- are older than this column only ASCII letters have lost theirs.
ALTER TABLE notices ADD COLUMN search TEXT NOT NULL DEFAULT '';
UPDATE notices SET search = lower(title || char(10) || sender);
