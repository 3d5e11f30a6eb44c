-- +goose Up

-- One row: which programs may run on this schema. version is the newest migration; program the version of Carillon that
-- applied it, empty: unknown; oldest the newest migration that a program must know at least to run here.
-- Every program writes the row after it has migrated.
CREATE TABLE schema_version (
    id      INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL DEFAULT 0,
    oldest  INTEGER NOT NULL DEFAULT 0,
    program TEXT   NOT NULL DEFAULT ''
);
INSERT INTO schema_version (id) VALUES (1);
