-- +goose Up

-- The types of notices that a user does not want. The key is for who sends: it
-- asks who of some users has muted a type. The index is for the user's own list.
CREATE TABLE mutes (
    type TEXT   COLLATE "C" NOT NULL,
    seq  BIGINT NOT NULL REFERENCES users (seq) ON DELETE CASCADE,
    PRIMARY KEY (type, seq)
);
CREATE INDEX mutes_seq ON mutes (seq);
