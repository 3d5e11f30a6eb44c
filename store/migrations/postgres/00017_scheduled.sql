-- +goose Up

-- When a notice is to be sent, and when it was, in ms; 0: at once. A scheduled notice has no
-- recipients. The index holds only the notices that wait.
ALTER TABLE notices ADD COLUMN send_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE notices ADD COLUMN released_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX notices_scheduled ON notices (send_at, id) WHERE state = 'scheduled';

-- The place of a notice among all others if it was scheduled: after the one with this id, which was
-- the highest when it was sent. 0: its own id.
ALTER TABLE notices ADD COLUMN ordinal BIGINT NOT NULL DEFAULT 0;
