-- +goose Up

-- The settings of a user besides the language. An empty theme means the system's theme.
ALTER TABLE users ADD COLUMN theme TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN keys BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE users ADD COLUMN toasts BOOLEAN NOT NULL DEFAULT TRUE;
