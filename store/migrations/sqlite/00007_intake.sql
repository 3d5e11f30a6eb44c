-- +goose Up

-- When a notice was last retracted or edited; 0: never. The index holds only changed notices,
-- so accepting and sending do not touch it.
ALTER TABLE notices ADD COLUMN changed_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX notices_changed ON notices (changed_at) WHERE changed_at > 0;

-- Idempotency keys: a repeated request is answered with the notice of the first one.
CREATE TABLE idempotency_keys (
    owner      TEXT   NOT NULL,
    key        TEXT   NOT NULL,
    digest     BLOB   NOT NULL,
    notice_id  BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (owner, key)
) WITHOUT ROWID;
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- Work that failed repeatedly. notice_id is 0 if the entry names no notice.
CREATE TABLE dead_letters (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    notice_id  BIGINT  NOT NULL,
    entry      TEXT    NOT NULL,
    reason     TEXT    NOT NULL,
    tries      BIGINT  NOT NULL,
    created_at BIGINT  NOT NULL
);
CREATE INDEX dead_letters_notice ON dead_letters (notice_id);

-- The run ids of Redis masters that were brought up to date with SQL.
CREATE TABLE redis_runs (
    run_id  TEXT   NOT NULL PRIMARY KEY,
    seen_at BIGINT NOT NULL
) WITHOUT ROWID;

-- The time up to which all changes in a group of partitions have reached SQL.
CREATE TABLE flush_marks (
    part       INTEGER NOT NULL PRIMARY KEY,
    flushed_at BIGINT  NOT NULL
);

-- The highest notice that left an inbox but did not fit into gone; 0: none.
ALTER TABLE inbox_snapshots ADD COLUMN floor BIGINT NOT NULL DEFAULT 0;

-- The numbers of deleted users: a Redis that goes back to an earlier state still has their
-- inboxes.
CREATE TABLE deleted_users (
    seq        INTEGER NOT NULL PRIMARY KEY,
    deleted_at BIGINT  NOT NULL
);
