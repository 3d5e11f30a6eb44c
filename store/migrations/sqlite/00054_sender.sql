-- +goose Up

-- The notices of a key, a rule or a command; notices_sender has those of users.
CREATE INDEX notices_other_sender ON notices (sender_id, id) WHERE sender_kind <> 'user';
