-- +goose Up

-- Webhooks: addresses that receive events. events are the types that it wants, with spaces between them. secret signs, sealed under
-- a session key; old_secret signs too, until old_until: it is the one before the last rotation. off is empty while the hook is on, or
-- why it is off: gone or failing. failing_since is the first failure since the last success; 0: the last try succeeded. error is of the last
-- failure since then. Times are in ms.
CREATE TABLE hooks (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    name          TEXT NOT NULL UNIQUE,
    url           TEXT NOT NULL,
    events        TEXT NOT NULL,
    secret        BLOB NOT NULL,
    old_secret    BLOB NOT NULL,
    old_until     BIGINT NOT NULL DEFAULT 0,
    off           TEXT NOT NULL DEFAULT '',
    off_at        BIGINT NOT NULL DEFAULT 0,
    failing_since BIGINT NOT NULL DEFAULT 0,
    error         TEXT NOT NULL DEFAULT '',
    created_at    BIGINT NOT NULL
);

-- The events of hooks. They are stored by the transaction of the fact, which must not fail when a hook is removed at the same time: so
-- hook is no reference, and events of hooks that do not exist are deleted later. n is the order of storing. id is the webhook-id. seq is
-- the number of the user that the body names; 0: none. state is waiting, delivered or failed. due_at is when it is tried; while it is
-- being sent, when it is tried again if nobody stores the result. tries is the number of those that have ended. status and error are those of the
-- last one; 0: there was no answer. ended_at is when the state became delivered or failed. Times are in ms.
CREATE TABLE hook_events (
    n          INTEGER PRIMARY KEY AUTOINCREMENT,
    id         TEXT NOT NULL,
    hook       BIGINT NOT NULL,
    type       TEXT NOT NULL,
    seq        BIGINT NOT NULL DEFAULT 0,
    body       BLOB NOT NULL,
    state      TEXT NOT NULL DEFAULT 'waiting',
    created_at BIGINT NOT NULL,
    due_at     BIGINT NOT NULL,
    tries      BIGINT NOT NULL DEFAULT 0,
    status     BIGINT NOT NULL DEFAULT 0,
    error      TEXT NOT NULL DEFAULT '',
    ended_at   BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX hook_events_due ON hook_events (hook, due_at, n) WHERE state = 'waiting';
CREATE INDEX hook_events_past ON hook_events (hook, ended_at, n) WHERE state <> 'waiting';
CREATE INDEX hook_events_seq ON hook_events (seq, n) WHERE seq > 0;

-- The events of an announcement that have been stored, or that no hook wanted: 0: none, 1: it has opened, 2: it has closed.
ALTER TABLE announcements ADD COLUMN told BIGINT NOT NULL DEFAULT 0;
UPDATE announcements SET told = CASE WHEN ends_at <= 1000 * CAST(strftime('%s', 'now') AS INTEGER) THEN 2 WHEN starts_at <= 1000 * CAST(strftime('%s', 'now') AS INTEGER) THEN 1 ELSE 0 END;
UPDATE announcements SET told = 2 WHERE notice_id IN (SELECT id FROM notices WHERE state IN ('retracting', 'retracted'));
CREATE INDEX announcements_told ON announcements (starts_at, ends_at) WHERE told < 2;
