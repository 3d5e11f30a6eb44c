-- +goose Up

-- The common revision of all subscriptions: it rises with each change of any of them.
INSERT INTO sequences (name, value) VALUES ('subscription', 0);

-- The types of notices that were used or created by staff. names is a JSON object by
-- language; expires_in is in ms, 0 means the common limit.
CREATE TABLE notice_types (
    slug       TEXT    COLLATE "C" NOT NULL PRIMARY KEY,
    names      TEXT    NOT NULL DEFAULT '{}',
    expires_in BIGINT  NOT NULL DEFAULT 0,
    no_mute    BOOLEAN NOT NULL DEFAULT FALSE,
    open       BOOLEAN NOT NULL DEFAULT FALSE,
    created_at BIGINT  NOT NULL
);

-- The subscribers of a type and scope: either a user or a role; the other is NULL. search is
-- type, scope and name, case-folded.
CREATE TABLE subscriptions (
    id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    type       TEXT   COLLATE "C" NOT NULL,
    scope      TEXT   COLLATE "C" NOT NULL,
    seq        BIGINT REFERENCES users (seq) ON DELETE CASCADE,
    role_id    BIGINT REFERENCES roles (id) ON DELETE CASCADE,
    search     TEXT   COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    CHECK ((seq IS NULL) <> (role_id IS NULL))
);
CREATE UNIQUE INDEX subscriptions_user ON subscriptions (type, scope, seq) WHERE seq IS NOT NULL;
CREATE UNIQUE INDEX subscriptions_role ON subscriptions (type, scope, role_id) WHERE role_id IS NOT NULL;
CREATE INDEX subscriptions_seq ON subscriptions (seq, id) WHERE seq IS NOT NULL;
CREATE INDEX subscriptions_role_id ON subscriptions (role_id, id) WHERE role_id IS NOT NULL;
CREATE INDEX subscriptions_topic ON subscriptions (type, scope, id);
CREATE INDEX subscriptions_type ON subscriptions (type, id);

-- The reasons why some recipients of a notice to a topic get it; NULL: its target.
ALTER TABLE notices ADD COLUMN reasons BYTEA;

-- For finding the notices about one subject.
CREATE INDEX notices_subject ON notices (subject, id) WHERE subject <> '';

-- API keys of host applications: the SHA-256 of each, never the key itself. Revoked keys are
-- kept for the record.
CREATE TABLE api_keys (
    id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       TEXT   COLLATE "C" NOT NULL,
    hash       BYTEA  NOT NULL UNIQUE,
    scopes     TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL DEFAULT 0,
    revoked_at BIGINT NOT NULL DEFAULT 0
);

-- The result of the last run of each rule.
CREATE TABLE rule_runs (
    rule       TEXT   COLLATE "C" NOT NULL PRIMARY KEY,
    started_at BIGINT NOT NULL,
    ended_at   BIGINT NOT NULL,
    findings   BIGINT NOT NULL,
    sent       BIGINT NOT NULL,
    withdrawn  BIGINT NOT NULL,
    failures   BIGINT NOT NULL,
    error      TEXT   NOT NULL
);

-- The findings that a rule has sent notices about, for as long as they exist.
CREATE TABLE rule_findings (
    rule      TEXT   COLLATE "C" NOT NULL,
    subject   TEXT   COLLATE "C" NOT NULL,
    digest    BYTEA  NOT NULL,
    notice_id BIGINT NOT NULL,
    told_at   BIGINT NOT NULL,
    seen_at   BIGINT NOT NULL,
    PRIMARY KEY (rule, subject)
);
