-- +goose Up

-- What was done to a notice.
CREATE INDEX audit_log_notice ON audit_log (object_id, id) WHERE object_kind = 'notice';
