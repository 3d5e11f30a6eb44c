-- +goose Up

-- The common revision of all announcements: it rises with each change of any of them, and
-- its row is the lock for such changes.
INSERT INTO sequences (name, value) VALUES ('announcement', 0);

-- The columns that an announcement has in addition to its row in notices.
CREATE TABLE announcements (
    notice_id    BIGINT  NOT NULL PRIMARY KEY REFERENCES notices (id) ON DELETE CASCADE,
    starts_at    BIGINT  NOT NULL,
    ends_at      BIGINT  NOT NULL,
    pinned       BOOLEAN NOT NULL,
    late_joiners BOOLEAN NOT NULL
);

-- An announcement in one audience. withdrawn: an edit removed the audience. Once settled,
-- top is the highest user number at the opening, and members is the size of the audience
-- then. Once finished, reads is the final number of reads, and Redis has no data of it.
CREATE TABLE announcement_audiences (
    announcement_id BIGINT  NOT NULL REFERENCES announcements (notice_id) ON DELETE CASCADE,
    audience        INTEGER NOT NULL,
    withdrawn       BOOLEAN NOT NULL DEFAULT FALSE,
    settled         BOOLEAN NOT NULL DEFAULT FALSE,
    top             BIGINT  NOT NULL DEFAULT 0,
    members         BIGINT  NOT NULL DEFAULT 0,
    finished        BOOLEAN NOT NULL DEFAULT FALSE,
    reads           BIGINT  NOT NULL DEFAULT 0,
    PRIMARY KEY (announcement_id, audience)
);
CREATE INDEX announcement_audiences_unfinished ON announcement_audiences (announcement_id) WHERE NOT finished;

-- The reads of an announcement, one bit per user number, in segments of 4 KB.
CREATE TABLE announcement_reads (
    announcement_id BIGINT  NOT NULL,
    audience        INTEGER NOT NULL,
    segment         INTEGER NOT NULL,
    ver             BIGINT  NOT NULL,
    bits            BYTEA   NOT NULL,
    PRIMARY KEY (announcement_id, audience, segment),
    FOREIGN KEY (announcement_id, audience) REFERENCES announcement_audiences (announcement_id, audience) ON DELETE CASCADE
);

-- For finding the latest segment of an audience: Redis must not be older than that.
CREATE INDEX announcement_reads_latest ON announcement_reads (audience, ver);

-- For counting an audience up to a user number.
CREATE INDEX users_audience ON users (audience, seq);
