-- +goose Up

-- Ended sessions, until Redis and the open streams are told. A row is written in the
-- transaction that ends the session, so no crash in between can lose it.
CREATE TABLE ended_sessions (
    id       TEXT   NOT NULL PRIMARY KEY,
    seq      BIGINT NOT NULL,
    ended_at BIGINT NOT NULL
) WITHOUT ROWID;

-- Users with changes to fields that are cached elsewhere: roles, audience, language. moved: the
-- audience has changed. told: all instances were told once; moved users get a second look.
CREATE TABLE changed_users (
    seq        BIGINT  NOT NULL PRIMARY KEY REFERENCES users (seq) ON DELETE CASCADE,
    moved      BOOLEAN NOT NULL,
    told       BOOLEAN NOT NULL DEFAULT FALSE,
    changed_at BIGINT  NOT NULL
) WITHOUT ROWID;
