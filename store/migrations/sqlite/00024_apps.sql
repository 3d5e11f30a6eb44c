-- +goose Up

-- Host applications. Origins and roles are one a line, max_life is in ms. A name is free again when
-- its app was revoked.
CREATE TABLE apps (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT    NOT NULL,
    origins    TEXT    NOT NULL,
    audience   INTEGER NOT NULL,
    roles      TEXT    NOT NULL,
    max_life   INTEGER NOT NULL,
    issuer     TEXT    NOT NULL,
    jwks       TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX apps_name ON apps (name) WHERE revoked_at = 0;
CREATE UNIQUE INDEX apps_issuer ON apps (issuer) WHERE revoked_at = 0 AND jwks <> '';

-- The keys that verify their tokens. Material is a public key, or a secret sealed under the session
-- keys.
CREATE TABLE app_keys (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    app_id     INTEGER NOT NULL REFERENCES apps (id),
    alg        TEXT    NOT NULL,
    material   BLOB    NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The app that an API key acts for; 0: none. Such a key may send to users that do not exist yet.
ALTER TABLE api_keys ADD COLUMN app_id INTEGER NOT NULL DEFAULT 0;
