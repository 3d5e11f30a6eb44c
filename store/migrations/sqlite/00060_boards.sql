-- +goose Up

-- Boards: the list of the tasks of a role, for a screen that shows it without a session. hash is the SHA-256 of the token of its link.
-- created_at, of that link, is in ms.
CREATE TABLE boards (
    role_id    BIGINT NOT NULL PRIMARY KEY REFERENCES roles (id) ON DELETE CASCADE,
    hash       BLOB   NOT NULL,
    created_at BIGINT NOT NULL
);
