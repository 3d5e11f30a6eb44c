-- +goose Up

-- Whether the user wants rows with one line of text.
ALTER TABLE users ADD COLUMN compact BOOLEAN NOT NULL DEFAULT FALSE;
