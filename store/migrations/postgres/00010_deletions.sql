-- +goose Up

-- Users whose account is deleted and whose remaining data is being removed. The name is kept,
-- and cannot be reused, until it is removed from the targets of all notices. pass and notice
-- are the progress of the scan through the notices.
CREATE TABLE deletions (
    seq        BIGINT  NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL UNIQUE,
    audience   INTEGER NOT NULL,
    started_at BIGINT  NOT NULL,
    pass       INTEGER NOT NULL DEFAULT 0,
    notice     BIGINT  NOT NULL DEFAULT 0
);
