-- +goose Up

-- The form that a key was created with, so that a form posted twice creates only one key.
ALTER TABLE api_keys ADD COLUMN form TEXT;
CREATE UNIQUE INDEX api_keys_form ON api_keys (form) WHERE form IS NOT NULL;
