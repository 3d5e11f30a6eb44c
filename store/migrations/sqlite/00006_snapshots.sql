-- +goose Up

-- Each user's inbox as it was last written behind: what Redis is restored from.
-- entries and gone are of snapshot_code.go; the bodies are in notices.
CREATE TABLE inbox_snapshots (
    seq     INTEGER NOT NULL PRIMARY KEY REFERENCES users (seq) ON DELETE CASCADE,
    ver     BIGINT  NOT NULL,
    unread  BIGINT  NOT NULL,
    opened  BIGINT  NOT NULL,
    entries BLOB    NOT NULL,
    gone    BLOB    NOT NULL
);

-- How far a notice with more than one recipient has come in a partition of users.
CREATE TABLE notice_counts (
    notice_id BIGINT  NOT NULL REFERENCES notices (id) ON DELETE CASCADE,
    partition INTEGER NOT NULL,
    delivered BIGINT  NOT NULL,
    read      BIGINT  NOT NULL,
    PRIMARY KEY (notice_id, partition)
) WITHOUT ROWID;

-- For the counts of a partition, which Redis must not be behind.
CREATE INDEX notice_counts_partition ON notice_counts (partition, notice_id);
