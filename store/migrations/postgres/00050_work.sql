-- +goose Up

-- Unfinished notices are the queue of delivery. The instance owner has claimed a notice until due_at; after that, any
-- instance may claim it. 0, 0: unclaimed and due at once. tries counts claims without a result.
ALTER TABLE notices ADD COLUMN owner BIGINT NOT NULL DEFAULT 0;
ALTER TABLE notices ADD COLUMN due_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE notices ADD COLUMN tries BIGINT NOT NULL DEFAULT 0;
-- The traceparent of the request that sent the notice; '': the request was not traced.
ALTER TABLE notices ADD COLUMN trace TEXT NOT NULL DEFAULT '';

-- Other work: a range of recipients that failed, a notice that is delivered again, and the search for notices that
-- must be delivered again (resend). It covers recipients with from_seq < seq <= to_seq, or all after from_seq if to_seq
-- is 0; for a resend, from_seq is the last notice done. fault is the last error.
CREATE TABLE work (
    id        BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind      TEXT    NOT NULL,
    notice_id BIGINT  NOT NULL DEFAULT 0,
    from_seq  BIGINT  NOT NULL DEFAULT 0,
    to_seq    BIGINT  NOT NULL DEFAULT 0,
    since     BIGINT  NOT NULL DEFAULT 0,
    again     BOOLEAN NOT NULL DEFAULT FALSE,
    had       BOOLEAN NOT NULL DEFAULT FALSE,
    tries     BIGINT  NOT NULL DEFAULT 0,
    due_at    BIGINT  NOT NULL DEFAULT 0,
    owner     BIGINT  NOT NULL DEFAULT 0,
    fault     TEXT    NOT NULL DEFAULT '',
    trace     TEXT    NOT NULL DEFAULT ''
);
