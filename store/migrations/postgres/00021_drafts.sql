-- +goose Up

-- Forms to send a notice that their authors have begun to fill in. A draft counts as gone as soon
-- as idempotency_keys has its id as a key of its author: then it was sent.
CREATE TABLE drafts (
    seq        BIGINT NOT NULL REFERENCES users (seq) ON DELETE CASCADE, -- the author
    id         TEXT   NOT NULL, -- the token of the form
    title      TEXT   NOT NULL, -- of the notice, for lists; '' = none yet
    form       TEXT   NOT NULL, -- the fields, URL-encoded
    changed_at BIGINT NOT NULL, -- ms since 1970
    PRIMARY KEY (seq, id)
);
CREATE INDEX drafts_changed ON drafts (changed_at);
