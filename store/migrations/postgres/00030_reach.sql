-- +goose Up

-- Targets: a mail address or one browser, which tells its user what is unread. wait and daily (minutes
-- after midnight) say when. told, told_urgent, newest and upto are values of at of the inbox: up to told
-- everything has been decided, newest is the newest unread row that SQL has seen, upto the end of a claimed
-- message. due_at is 0 when there is nothing to decide. Times are in ms.
CREATE TABLE targets (
    id            BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    seq           BIGINT  NOT NULL REFERENCES users (seq) ON DELETE CASCADE,
    kind          TEXT    NOT NULL,
    address       TEXT    NOT NULL,
    keys          BYTEA   NOT NULL,
    label         TEXT    NOT NULL DEFAULT '',
    session       TEXT    REFERENCES sessions (id) ON DELETE CASCADE,
    token         TEXT    NOT NULL UNIQUE,
    state         TEXT    NOT NULL,
    wait          BIGINT  NOT NULL,
    daily         INTEGER,
    told          BIGINT  NOT NULL,
    told_urgent   BIGINT  NOT NULL DEFAULT 0,
    newest        BIGINT  NOT NULL DEFAULT 0,
    upto          BIGINT  NOT NULL DEFAULT 0,
    urgent        BOOLEAN NOT NULL DEFAULT FALSE,
    due_at        BIGINT  NOT NULL DEFAULT 0,
    tries         BIGINT  NOT NULL DEFAULT 0,
    refusals      BIGINT  NOT NULL DEFAULT 0,
    failing_since BIGINT  NOT NULL DEFAULT 0,
    error         TEXT    NOT NULL DEFAULT '',
    created_at    BIGINT  NOT NULL,
    seen_at       BIGINT  NOT NULL
);
CREATE INDEX targets_seq ON targets (seq);
CREATE INDEX targets_due ON targets (kind, due_at) WHERE due_at > 0;
CREATE INDEX targets_session ON targets (session) WHERE session IS NOT NULL;
CREATE UNIQUE INDEX targets_push ON targets (address) WHERE kind = 'push';
CREATE UNIQUE INDEX targets_mail ON targets (seq) WHERE kind = 'mail';

-- When a user is told. quiet_from and quiet_to are minutes after midnight in their zone; NULL: no quiet
-- hours. mail_when and push_when are 'off', 'daily' or a duration; empty: the default.
ALTER TABLE users ADD COLUMN zone TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN quiet_from INTEGER;
ALTER TABLE users ADD COLUMN quiet_to INTEGER;
ALTER TABLE users ADD COLUMN paused_until BIGINT NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN mail_when TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN mail_at BIGINT  NOT NULL DEFAULT 480;
ALTER TABLE users ADD COLUMN push_when TEXT NOT NULL DEFAULT '';

-- The types of notices that a user wants, or does not want, by mail or push, where that differs from the
-- type's default.
CREATE TABLE type_wants (
    seq    BIGINT  NOT NULL REFERENCES users (seq) ON DELETE CASCADE,
    type   TEXT    NOT NULL,
    kind   TEXT    NOT NULL,
    wanted BOOLEAN NOT NULL,
    PRIMARY KEY (seq, type, kind)
);

-- An urgent type passes quiet hours, pauses and daily mails. push and mail are the defaults of users.
ALTER TABLE notice_types ADD COLUMN urgent BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE notice_types ADD COLUMN push BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE notice_types ADD COLUMN mail BOOLEAN NOT NULL DEFAULT TRUE;

-- Values that all instances share and that are made once, such as the key that signs push messages. They
-- are sealed under the session keys.
CREATE TABLE secrets (
    name  TEXT NOT NULL PRIMARY KEY,
    value BYTEA NOT NULL
);
