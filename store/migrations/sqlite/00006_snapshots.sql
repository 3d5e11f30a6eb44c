-- +goose Up

-- The last snapshot of each user's inbox, from which Redis is restored. entries and gone are
-- encoded by snapshot_code.go; the bodies are in notices.
CREATE TABLE inbox_snapshots (
    seq     INTEGER NOT NULL PRIMARY KEY REFERENCES users (seq) ON DELETE CASCADE,
    ver     BIGINT  NOT NULL,
    unread  BIGINT  NOT NULL,
    opened  BIGINT  NOT NULL,
    entries BLOB    NOT NULL,
    gone    BLOB    NOT NULL
);

-- The delivered and read counts of a notice with more than one recipient, per partition.
CREATE TABLE notice_counts (
    notice_id BIGINT  NOT NULL REFERENCES notices (id) ON DELETE CASCADE,
    partition INTEGER NOT NULL,
    delivered BIGINT  NOT NULL,
    read      BIGINT  NOT NULL,
    PRIMARY KEY (notice_id, partition)
) WITHOUT ROWID;

-- For reading the counts of a partition: Redis must not be behind them.
CREATE INDEX notice_counts_partition ON notice_counts (partition, notice_id);
