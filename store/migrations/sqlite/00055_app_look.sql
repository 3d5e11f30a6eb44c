-- +goose Up

-- How rows show an app; an empty title is the name, an empty icon none.
ALTER TABLE apps ADD COLUMN title TEXT NOT NULL DEFAULT '';
ALTER TABLE apps ADD COLUMN icon TEXT NOT NULL DEFAULT '';
