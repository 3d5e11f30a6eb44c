-- +goose Up

-- Which state all subscriptions are in: it rises with each change of any of them.
INSERT INTO sequences (name, value) VALUES ('subscription', 0);

-- The types of notices that were used, or that staff made. names is JSON by
-- language, expires_in ms; 0: as long as any.
CREATE TABLE notice_types (
    slug       TEXT    NOT NULL PRIMARY KEY,
    names      TEXT    NOT NULL DEFAULT '{}',
    expires_in BIGINT  NOT NULL DEFAULT 0,
    no_mute    BOOLEAN NOT NULL DEFAULT FALSE,
    open       BOOLEAN NOT NULL DEFAULT FALSE,
    created_at BIGINT  NOT NULL
) WITHOUT ROWID;

-- Who subscribes to a type and scope: a user or a role, the other is NULL. search is
-- type, scope and name without case.
CREATE TABLE subscriptions (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    type       TEXT   NOT NULL,
    scope      TEXT   NOT NULL,
    seq        BIGINT REFERENCES users (seq) ON DELETE CASCADE,
    role_id    BIGINT REFERENCES roles (id) ON DELETE CASCADE,
    search     TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    CHECK ((seq IS NULL) <> (role_id IS NULL))
);
CREATE UNIQUE INDEX subscriptions_user ON subscriptions (type, scope, seq) WHERE seq IS NOT NULL;
CREATE UNIQUE INDEX subscriptions_role ON subscriptions (type, scope, role_id) WHERE role_id IS NOT NULL;
CREATE INDEX subscriptions_seq ON subscriptions (seq, id) WHERE seq IS NOT NULL;
CREATE INDEX subscriptions_role_id ON subscriptions (role_id, id) WHERE role_id IS NOT NULL;
CREATE INDEX subscriptions_topic ON subscriptions (type, scope, id);
CREATE INDEX subscriptions_type ON subscriptions (type, id);

-- Why some recipients of a notice to a topic get it; NULL: as its target says.
ALTER TABLE notices ADD COLUMN reasons BLOB;

-- For what is about one thing.
CREATE INDEX notices_subject ON notices (subject, id) WHERE subject <> '';

-- Keys of host applications: the SHA-256 of each, never the key. A revoked one
-- stays, for who looks back.
CREATE TABLE api_keys (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    name       TEXT   NOT NULL,
    hash       BLOB  NOT NULL UNIQUE,
    scopes     TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL DEFAULT 0,
    revoked_at BIGINT NOT NULL DEFAULT 0
);

-- How each rule fared when it ran last.
CREATE TABLE rule_runs (
    rule       TEXT   NOT NULL PRIMARY KEY,
    started_at BIGINT NOT NULL,
    ended_at   BIGINT NOT NULL,
    findings   BIGINT NOT NULL,
    sent       BIGINT NOT NULL,
    withdrawn  BIGINT NOT NULL,
    failures   BIGINT NOT NULL,
    error      TEXT   NOT NULL
) WITHOUT ROWID;

-- What a rule has found and told of, as long as it is there.
CREATE TABLE rule_findings (
    rule      TEXT   NOT NULL,
    subject   TEXT   NOT NULL,
    digest    BLOB  NOT NULL,
    notice_id BIGINT NOT NULL,
    told_at   BIGINT NOT NULL,
    seen_at   BIGINT NOT NULL,
    PRIMARY KEY (rule, subject)
) WITHOUT ROWID;
