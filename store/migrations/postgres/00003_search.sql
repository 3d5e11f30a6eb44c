-- +goose Up

-- What a search looks through: title and sender without case. In notices that
-- are older than this column the database's locale says what case is.
ALTER TABLE notices ADD COLUMN search TEXT COLLATE "C" NOT NULL DEFAULT '';
UPDATE notices SET search = lower(title || chr(10) || sender);
