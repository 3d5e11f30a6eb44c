-- +goose Up

-- A draft with a name is a template: all staff can use and delete it, and it is never trimmed.
ALTER TABLE drafts ADD COLUMN name TEXT NOT NULL DEFAULT ''; -- of the template; '' = a draft
-- A deleted draft or template is kept for a day, so that the deletion can be undone.
ALTER TABLE drafts ADD COLUMN deleted_at BIGINT NOT NULL DEFAULT 0; -- ms since 1970; 0 = not deleted
CREATE UNIQUE INDEX drafts_name ON drafts (name) WHERE name <> '' AND deleted_at = 0;
