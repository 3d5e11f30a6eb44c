-- +goose Up

-- What a notice has beside its texts: its actor, picture, actions and data, as JSON; '': nothing.
ALTER TABLE notices ADD COLUMN extras TEXT NOT NULL DEFAULT '';
