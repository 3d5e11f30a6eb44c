-- +goose Up

-- The text that a search matches: title and sender, case-folded. In notices older than this
-- column only ASCII letters are folded.
ALTER TABLE notices ADD COLUMN search TEXT NOT NULL DEFAULT '';
UPDATE notices SET search = lower(title || char(10) || sender);
