-- +goose Up

-- Tasks: notices that one of their recipients takes. state is open, taken or done. finish is required or none: whether it must be
-- reported as done. within is how long it may stay open, in ms; 0: any time. late_at is when that is over, in ms; 0: never.
-- passes_to is the target, as JSON, to which it goes as well then; empty: none. passed is the id of the notice that passed it on;
-- 0: none has. holder is the number of the user who has it or has done it, and has no meaning while it is open. taken_at and
-- done_at are in ms; 0: not yet.
CREATE TABLE tasks (
    notice_id BIGINT NOT NULL PRIMARY KEY REFERENCES notices (id) ON DELETE CASCADE,
    state     TEXT   COLLATE "C" NOT NULL DEFAULT 'open',
    finish    TEXT   COLLATE "C" NOT NULL,
    within    BIGINT NOT NULL,
    late_at   BIGINT NOT NULL,
    passes_to TEXT   COLLATE "C" NOT NULL,
    passed    BIGINT NOT NULL DEFAULT 0,
    holder    BIGINT NOT NULL DEFAULT 0,
    taken_at  BIGINT NOT NULL DEFAULT 0,
    done_at   BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX tasks_state ON tasks (state, notice_id) WHERE state <> 'done';
CREATE INDEX tasks_late ON tasks (late_at, notice_id) WHERE state = 'open' AND passed = 0 AND passes_to <> '';
CREATE INDEX tasks_holder ON tasks (holder, notice_id) WHERE state <> 'open';
