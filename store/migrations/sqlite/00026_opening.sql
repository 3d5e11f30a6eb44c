-- +goose Up

-- Whether opening the inbox marks everything as read; FALSE: it marks nothing. Instances of the version
-- before do not know the column and go on marking everything.
ALTER TABLE users ADD COLUMN opening_reads BOOLEAN NOT NULL DEFAULT TRUE;
