-- +goose Up

-- Host applications. Origins and roles are one a line, max_life is in ms. A name is free again when
-- its app was revoked.
CREATE TABLE apps (
    id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       TEXT    COLLATE "C" NOT NULL,
    origins    TEXT    NOT NULL,
    audience   BIGINT  NOT NULL,
    roles      TEXT    NOT NULL,
    max_life   BIGINT  NOT NULL,
    issuer     TEXT    NOT NULL,
    jwks       TEXT    NOT NULL,
    created_at BIGINT  NOT NULL,
    revoked_at BIGINT  NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX apps_name ON apps (name) WHERE revoked_at = 0;
CREATE UNIQUE INDEX apps_issuer ON apps (issuer) WHERE revoked_at = 0 AND jwks <> '';

-- The keys that verify their tokens. Material is a public key, or a secret sealed under the session
-- keys.
CREATE TABLE app_keys (
    id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    app_id     BIGINT  NOT NULL REFERENCES apps (id),
    alg        TEXT    NOT NULL,
    material   BYTEA   NOT NULL,
    created_at BIGINT  NOT NULL,
    revoked_at BIGINT  NOT NULL DEFAULT 0
);

-- The app that an API key acts for; 0: none. Such a key may send to users that do not exist yet.
ALTER TABLE api_keys ADD COLUMN app_id BIGINT NOT NULL DEFAULT 0;
