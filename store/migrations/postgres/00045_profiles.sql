-- +goose Up

-- What became of the values in the user's profile that were not as they should be: JSON, such as
-- {"name":"cut","email":"dropped"}; empty: all were. Staff see it.
ALTER TABLE users ADD COLUMN profile_notes TEXT NOT NULL DEFAULT '';

-- The mail address that a proxy or identity provider last gave the user; empty: none. The user's address follows it
-- as long as it is the same, so that one from an app or the API stays.
ALTER TABLE users ADD COLUMN provider_email TEXT NOT NULL DEFAULT '';
