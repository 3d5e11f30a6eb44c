-- +goose Up

-- Sessions of users whom an identity provider has signed in: when they end at the latest, in ms, whether the
-- provider's groups made their user staff, and the ID token, which signs them out there. Others have none.
ALTER TABLE sessions ADD COLUMN ends_at BIGINT;
ALTER TABLE sessions ADD COLUMN staff BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE sessions ADD COLUMN id_token TEXT NOT NULL DEFAULT '';
