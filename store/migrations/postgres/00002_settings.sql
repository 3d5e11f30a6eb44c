-- +goose Up

-- What a user has chosen beside his language. An empty theme: as his system.
ALTER TABLE users ADD COLUMN theme TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN keys BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE users ADD COLUMN toasts BOOLEAN NOT NULL DEFAULT TRUE;
