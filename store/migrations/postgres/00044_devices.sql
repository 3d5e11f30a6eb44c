-- +goose Up

-- login is the session in which a device was registered, even after that session has expired; empty: a proxy
-- or an app signs the user in. The column session stays NULL from now on, because devices that it names end
-- with their session.
ALTER TABLE targets ADD COLUMN login TEXT NOT NULL DEFAULT '';
UPDATE targets SET login = session, session = NULL WHERE session IS NOT NULL;
CREATE INDEX targets_login ON targets (login) WHERE login <> '';

-- seen_at of a device is also when its push service last took a message. Until now it was not, so it begins
-- anew: a device without either for 90 days is deleted.
UPDATE targets SET seen_at = CAST(extract(epoch FROM now()) * 1000 AS BIGINT) WHERE kind = 'push';

-- Browsers whose devices a user has ended, by signing out or in the list: only a click registers them again.
-- mark is the SHA-256 of the endpoint, in hex. A user has at most 20, the newest.
CREATE TABLE left_devices (
    seq  BIGINT NOT NULL REFERENCES users (seq) ON DELETE CASCADE,
    mark TEXT   NOT NULL,
    at   BIGINT NOT NULL,
    PRIMARY KEY (seq, mark)
);

-- The browser in which a session began: its User-Agent header, cleaned and at most 200 bytes; empty: unknown.
ALTER TABLE sessions ADD COLUMN agent TEXT NOT NULL DEFAULT '';
