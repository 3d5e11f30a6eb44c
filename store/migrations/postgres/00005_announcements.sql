-- +goose Up

-- The revision of all announcements together: it rises with each change of any
-- of them, and its row is the lock of who changes them.
INSERT INTO sequences (name, value) VALUES ('announcement', 0);

-- What a notice to audiences has beside its row in notices.
CREATE TABLE announcements (
    notice_id    BIGINT  NOT NULL PRIMARY KEY REFERENCES notices (id) ON DELETE CASCADE,
    starts_at    BIGINT  NOT NULL,
    ends_at      BIGINT  NOT NULL,
    pinned       BOOLEAN NOT NULL,
    late_joiners BOOLEAN NOT NULL
);

-- An announcement in one audience. withdrawn: an edit took the audience away.
-- top is the highest user number at its opening and members how many users the
-- audience had then, once settled; reads is how many had read it when it was
-- finished, and Redis forgot it.
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

-- Who has read it, one bit a user number, in segments of 4 KB.
CREATE TABLE announcement_reads (
    announcement_id BIGINT  NOT NULL,
    audience        INTEGER NOT NULL,
    segment         INTEGER NOT NULL,
    ver             BIGINT  NOT NULL,
    bits            BYTEA   NOT NULL,
    PRIMARY KEY (announcement_id, audience, segment),
    FOREIGN KEY (announcement_id, audience) REFERENCES announcement_audiences (announcement_id, audience) ON DELETE CASCADE
);

-- For the latest of them in an audience, which Redis must not be older than.
CREATE INDEX announcement_reads_latest ON announcement_reads (audience, ver);

-- For counting an audience up to a user number.
CREATE INDEX users_audience ON users (audience, seq);
