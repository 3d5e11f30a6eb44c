-- +goose Up

-- The text that a search matches: title and sender, case-folded. In notices older than this
-- column the case was folded by the database's locale.
ALTER TABLE notices ADD COLUMN search TEXT COLLATE "C" NOT NULL DEFAULT '';
UPDATE notices SET search = lower(title || chr(10) || sender);
