-- +goose Up

-- When a notice was last retracted or edited; 0: never. The index has only those:
-- accepting and sending do not touch it.
ALTER TABLE notices ADD COLUMN changed_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX notices_changed ON notices (changed_at) WHERE changed_at > 0;

-- Requests that may be repeated: the first one's notice answers them all.
CREATE TABLE idempotency_keys (
    owner      TEXT   NOT NULL,
    key        TEXT   NOT NULL,
    digest     BLOB   NOT NULL,
    notice_id  BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (owner, key)
) WITHOUT ROWID;
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- Work that failed again and again. notice_id is 0 where the entry names none.
CREATE TABLE dead_letters (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    notice_id  BIGINT  NOT NULL,
    entry      TEXT    NOT NULL,
    reason     TEXT    NOT NULL,
    tries      BIGINT  NOT NULL,
    created_at BIGINT  NOT NULL
);
CREATE INDEX dead_letters_notice ON dead_letters (notice_id);

-- The lives of Redis that were brought up to what is here: run ids of its masters.
CREATE TABLE redis_runs (
    run_id  TEXT   NOT NULL PRIMARY KEY,
    seen_at BIGINT NOT NULL
) WITHOUT ROWID;

-- Until when everything that changed in a group of partitions is here.
CREATE TABLE flush_marks (
    part       INTEGER NOT NULL PRIMARY KEY,
    flushed_at BIGINT  NOT NULL
);

-- The highest notice that left an inbox and that gone had no room for; 0: none.
ALTER TABLE inbox_snapshots ADD COLUMN floor BIGINT NOT NULL DEFAULT 0;

-- Who was deleted, by number only: a Redis that comes back as it was before still has
-- the inbox.
CREATE TABLE deleted_users (
    seq        INTEGER NOT NULL PRIMARY KEY,
    deleted_at BIGINT  NOT NULL
);
