-- +goose Up

-- Senders, actors, objects and owners of idempotency keys become a kind and an id, so that no
-- name of one kind can be mistaken for a name of another. The id of a user is the number; 0
-- stands for a deleted user.
--
-- The existing rows have a single text. `key NAME` and `rule NAME` are a key and a rule,
-- unless a user has exactly that name and there is no such key or rule. Any other name that
-- no user has was written by a command.
CREATE TABLE named (
    place TEXT NOT NULL,
    said  TEXT COLLATE "C" NOT NULL,
    kind_is TEXT NOT NULL,
    id_is   TEXT NOT NULL,
    PRIMARY KEY (place, said)
);
INSERT INTO named (place, said, kind_is, id_is)
SELECT place, said, kind_is, CASE kind_is
        WHEN 'key' THEN substr(said, 5)
        WHEN 'rule' THEN substr(said, 6)
        WHEN 'command' THEN said
        ELSE CASE WHEN place = 'actor' AND said = 'deleted' THEN '0' ELSE COALESCE(CAST(seq AS TEXT), '0') END
    END
FROM (
    SELECT place, said, seq, CASE
            WHEN said = '' OR place = 'actor' AND said = 'deleted' THEN 'user'
            WHEN said IN ('command line', 'carillon send', 'carillon announce') THEN 'command'
            WHEN substr(said, 1, 4) = 'key ' AND (seq IS NULL OR substr(said, 5) IN (SELECT name FROM api_keys)) THEN 'key'
            WHEN substr(said, 1, 5) = 'rule ' AND (seq IS NULL
                OR substr(said, 6) IN (SELECT rule FROM rule_runs UNION SELECT rule FROM rule_findings)) THEN 'rule'
            WHEN seq IS NOT NULL THEN 'user'
            ELSE 'command'
        END AS kind_is
    FROM (SELECT 'sender' AS place, sender COLLATE "C" AS said FROM notices UNION SELECT 'actor', actor COLLATE "C" FROM audit_log) texts
        LEFT JOIN users ON users.name = said
) found;

ALTER TABLE notices RENAME COLUMN sender TO sender_id;
ALTER TABLE notices ALTER COLUMN sender_id SET DATA TYPE TEXT COLLATE "C";
ALTER TABLE notices ADD COLUMN sender_kind TEXT NOT NULL DEFAULT '';
UPDATE notices SET sender_kind = kind_is, sender_id = id_is FROM named WHERE place = 'sender' AND said = sender_id;
CREATE INDEX notices_sender ON notices (sender_id, id) WHERE sender_kind = 'user';

-- The kind of an object follows from the action. Several API keys may have the same name: the
-- number goes into the detail.
ALTER TABLE audit_log RENAME COLUMN actor TO actor_id;
ALTER TABLE audit_log RENAME COLUMN object TO object_id;
ALTER TABLE audit_log ALTER COLUMN actor_id SET DATA TYPE TEXT COLLATE "C", ALTER COLUMN object_id SET DATA TYPE TEXT COLLATE "C";
ALTER TABLE audit_log ADD COLUMN actor_kind TEXT NOT NULL DEFAULT '';
ALTER TABLE audit_log ADD COLUMN object_kind TEXT NOT NULL DEFAULT '';
UPDATE audit_log SET actor_kind = kind_is, actor_id = id_is, object_kind = CASE
        WHEN object_id = '' THEN ''
        WHEN substr(action, 1, 7) = 'notice.' THEN 'notice'
        WHEN substr(action, 1, 11) = 'deadletter.' THEN 'dead_letter'
        WHEN substr(action, 1, 5) = 'role.' THEN 'role'
        WHEN substr(action, 1, 5) = 'type.' THEN 'type'
        WHEN substr(action, 1, 5) = 'rule.' THEN 'rule'
        WHEN substr(action, 1, 4) = 'key.' THEN 'key'
        WHEN action = 'user.import' THEN 'file'
        WHEN substr(action, 1, 13) = 'subscription.' AND substr(object_id, 1, 5) = 'role '
            AND (substr(object_id, 6) IN (SELECT name FROM roles) OR NOT EXISTS (SELECT 1 FROM users WHERE name = object_id)) THEN 'role'
        ELSE 'user'
    END
FROM named WHERE place = 'actor' AND said = actor_id;
UPDATE audit_log SET
    object_id = CASE
        WHEN object_kind = 'user' THEN CASE
            WHEN action = 'user.delete' AND substr(object_id, 1, 5) = 'user ' THEN substr(object_id, 6)
            WHEN object_id = 'deleted' THEN '0'
            ELSE COALESCE((SELECT CAST(seq AS TEXT) FROM users WHERE name = object_id), '0')
        END
        WHEN object_kind = 'key' THEN COALESCE((SELECT name FROM api_keys WHERE 'key ' || CAST(id AS TEXT) = object_id), substr(object_id, 5))
        WHEN object_kind = 'notice' THEN substr(object_id, 8)
        WHEN object_kind = 'dead_letter' THEN substr(object_id, 13)
        ELSE substr(object_id, 6)
    END,
    detail = CASE
        WHEN object_kind = 'key' THEN substr(object_id, 5) || COALESCE(
            (SELECT substr(detail, length(name) + 1) FROM api_keys WHERE 'key ' || CAST(id AS TEXT) = object_id), '')
        ELSE detail
    END
WHERE object_kind NOT IN ('', 'file');
CREATE INDEX audit_log_actor ON audit_log (actor_id, id) WHERE actor_kind = 'user';
CREATE INDEX audit_log_object ON audit_log (object_id, id) WHERE object_kind = 'user';

-- The owners of idempotency keys. Those of the send form are user numbers already.
CREATE TABLE owned_keys (
    owner_kind TEXT COLLATE "C" NOT NULL,
    owner_id   TEXT COLLATE "C" NOT NULL,
    key        TEXT COLLATE "C" NOT NULL,
    digest     BYTEA  NOT NULL,
    notice_id  BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (owner_kind, owner_id, key)
);
INSERT INTO owned_keys (owner_kind, owner_id, key, digest, notice_id, created_at)
SELECT CASE
        WHEN substr(owner, 1, 5) = 'form:' THEN 'user'
        WHEN substr(owner, 1, 4) = 'key ' THEN 'key'
        WHEN substr(owner, 1, 5) = 'rule ' THEN 'rule'
        WHEN seq IS NOT NULL THEN 'user'
        ELSE 'command'
    END, CASE
        WHEN substr(owner, 1, 5) = 'form:' THEN substr(owner, 6)
        WHEN substr(owner, 1, 4) = 'key ' THEN substr(owner, 5)
        WHEN substr(owner, 1, 5) = 'rule ' THEN substr(owner, 6)
        WHEN seq IS NOT NULL THEN CAST(seq AS TEXT)
        ELSE owner
    END, key, digest, notice_id, idempotency_keys.created_at
FROM idempotency_keys LEFT JOIN users ON users.name = owner WHERE TRUE
ON CONFLICT DO NOTHING;
DROP TABLE idempotency_keys;
ALTER TABLE owned_keys RENAME TO idempotency_keys;
ALTER INDEX owned_keys_pkey RENAME TO idempotency_keys_pkey;
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
DROP TABLE named;
