-- +goose Up

-- What was done to a notice.
CREATE INDEX audit_log_notice ON audit_log (object_id, id) WHERE object_kind = 'notice';

-- The filters of the list of sent notices.
CREATE INDEX notices_type ON notices (type, id);
CREATE INDEX notices_retracted ON notices (id) WHERE state IN ('retracting', 'retracted');
