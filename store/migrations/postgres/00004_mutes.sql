-- +goose Up

-- The types of notices that a user has muted. The primary key serves sending, which looks up
-- those among some users who have muted a type; the index serves the user's own list.
CREATE TABLE mutes (
    type TEXT   COLLATE "C" NOT NULL,
    seq  BIGINT NOT NULL REFERENCES users (seq) ON DELETE CASCADE,
    PRIMARY KEY (type, seq)
);
CREATE INDEX mutes_seq ON mutes (seq);
