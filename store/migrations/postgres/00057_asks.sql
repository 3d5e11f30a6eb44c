-- +goose Up

-- Questions: what the notice with this id asks, beside the choices in its column extras. state is open, answered, expired or
-- withdrawn, and changes once. closes_at is when it ends without an answer, in ms. needs is the number of equal answers that
-- decide; 0: everybody answers, and nothing is decided. otherwise is the outcome when time is up; empty: none. outcome is the id
-- of a choice; empty: none. ended_at is in ms; 0: it is open.
CREATE TABLE asks (
    notice_id BIGINT NOT NULL PRIMARY KEY REFERENCES notices (id) ON DELETE CASCADE,
    state     TEXT   COLLATE "C" NOT NULL DEFAULT 'open',
    closes_at BIGINT NOT NULL,
    needs     BIGINT NOT NULL,
    otherwise TEXT   COLLATE "C" NOT NULL DEFAULT '',
    outcome   TEXT   COLLATE "C" NOT NULL DEFAULT '',
    ended_at  BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX asks_open ON asks (closes_at, notice_id) WHERE state = 'open';

-- The answers, one of a user. seq is the number of the user, who may have been deleted since: then comment is empty. at is in ms.
CREATE TABLE ask_answers (
    notice_id BIGINT NOT NULL REFERENCES asks (notice_id) ON DELETE CASCADE,
    seq       BIGINT NOT NULL,
    choice    TEXT   COLLATE "C" NOT NULL,
    comment   TEXT   COLLATE "C" NOT NULL DEFAULT '',
    at        BIGINT NOT NULL,
    place     BIGINT NOT NULL, -- 1 for the first answer to the question
    PRIMARY KEY (notice_id, seq)
);
CREATE INDEX ask_answers_seq ON ask_answers (seq, notice_id);
