-- +goose Up

-- Whose fault a refusal is. From now on refusals counts the days on which an address or device was refused
-- since its last message arrived; refused_at is when the last of them was counted, in ms. held_since is
-- since when a message has been due that waits because the service is at fault, in ms. 0: not at all.
ALTER TABLE targets ADD COLUMN refused_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE targets ADD COLUMN held_since INTEGER NOT NULL DEFAULT 0;
UPDATE targets SET refusals = 0;

-- A dead address is tried again when due_at has come. Addresses that were given up before may have been
-- refused by a fault of the mail server alone, so each is due now. Whoever wants no messages gets none.
UPDATE targets SET state = 'off', due_at = 0, upto = 0, urgent = FALSE, tries = 0
    WHERE state = 'dead' AND seq IN (SELECT seq FROM users WHERE CASE targets.kind WHEN 'mail' THEN mail_when ELSE push_when END = 'off');
UPDATE targets SET due_at = 1, upto = 0, urgent = FALSE, tries = 0 WHERE state = 'dead';
