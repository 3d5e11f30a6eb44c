-- +goose Up

-- Counters with dense numbers that are never reused: one row each, raised inside the
-- transaction that uses the number.
CREATE TABLE sequences (
    name  TEXT   NOT NULL PRIMARY KEY,
    value BIGINT NOT NULL
);
INSERT INTO sequences (name, value) VALUES ('user', 0);

-- name_fold is the case-folded name, used for searching and paging. Names are ordered by
-- their bytes, as in SQLite.
CREATE TABLE users (
    seq           BIGINT  NOT NULL PRIMARY KEY,
    name          TEXT    COLLATE "C" NOT NULL UNIQUE,
    name_fold     TEXT    COLLATE "C" NOT NULL,
    password_hash TEXT    NOT NULL,
    audience      INTEGER NOT NULL,
    locale        TEXT    NOT NULL,
    created_at    BIGINT  NOT NULL
);
CREATE INDEX users_name_fold ON users (name_fold, name);

CREATE TABLE roles (
    id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       TEXT   COLLATE "C" NOT NULL UNIQUE,
    created_at BIGINT NOT NULL
);

CREATE TABLE role_members (
    role_id BIGINT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
    seq     BIGINT NOT NULL REFERENCES users (seq) ON DELETE CASCADE,
    PRIMARY KEY (role_id, seq)
);
CREATE INDEX role_members_seq ON role_members (seq);

-- All accepted notices. recipients is a roaring bitmap of seqs, written once when the notice
-- is routed. The free space in each page lets a row change its state within the same page.
CREATE TABLE notices (
    id              BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    state           TEXT    NOT NULL,
    done            BIGINT  NOT NULL DEFAULT 0,
    rev             BIGINT  NOT NULL DEFAULT 0,
    recipient_count BIGINT  NOT NULL DEFAULT 0,
    created_at      BIGINT  NOT NULL,
    expires_at      BIGINT  NOT NULL,
    target          TEXT    NOT NULL,
    type            TEXT    NOT NULL,
    scope           TEXT    NOT NULL,
    subject         TEXT    NOT NULL,
    title           TEXT    NOT NULL,
    body            TEXT    NOT NULL,
    link            TEXT    NOT NULL,
    toast           BOOLEAN NOT NULL,
    sender          TEXT    NOT NULL,
    recipients      BYTEA
) WITH (fillfactor = 85);
CREATE INDEX notices_unfinished ON notices (id) WHERE state IN ('accepted', 'sending', 'retracting');

-- id is the SHA-256 of the cookie's value, in hex.
CREATE TABLE sessions (
    id         TEXT   NOT NULL PRIMARY KEY,
    seq        BIGINT NOT NULL REFERENCES users (seq) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    seen_at    BIGINT NOT NULL
) WITH (fillfactor = 85);
CREATE INDEX sessions_seq ON sessions (seq);

CREATE TABLE audit_log (
    id      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at      BIGINT NOT NULL,
    actor   TEXT   NOT NULL,
    action  TEXT   NOT NULL,
    object  TEXT   NOT NULL,
    detail  TEXT   NOT NULL,
    address TEXT   NOT NULL
);
