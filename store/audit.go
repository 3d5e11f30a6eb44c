package store

import (
	"context"
	"database/sql"

	"github.com/carillonhq/carillon/notifier"
)

// Audit adds an entry to the log.
func (s *Store) Audit(ctx context.Context, e notifier.AuditEntry) error {
	_, err := s.exec(ctx, `INSERT INTO audit_log (at, actor, action, object, detail, address)
		VALUES ($1, $2, $3, $4, $5, $6)`,
		millis(s.now()), text(e.Actor), text(e.Action), text(e.Object), text(e.Detail), text(e.Address))
	return s.fail(err, "write %s to the audit log", e.Action)
}

// AuditLog lists entries newest first: those with an id below before, or from
// the newest when before is 0.
func (s *Store) AuditLog(ctx context.Context, before int64, limit int) ([]notifier.AuditEntry, error) {
	where, args := `ORDER BY id DESC LIMIT $1`, []any{pageSize(limit)}
	if before > 0 {
		where, args = `WHERE id < $2 `+where, append(args, before)
	}
	log, err := s.auditEntries(ctx, where, args...)
	return log, s.fail(err, "read the audit log")
}

func (s *Store) auditEntries(ctx context.Context, where string, args ...any) ([]notifier.AuditEntry, error) {
	var log []notifier.AuditEntry
	err := s.all(ctx, func(rows *sql.Rows) error {
		var e notifier.AuditEntry
		var at int64
		err := rows.Scan(&e.ID, &at, &e.Actor, &e.Action, &e.Object, &e.Detail, &e.Address)
		e.At = fromMillis(at)
		log = append(log, e)
		return err
	}, `SELECT id, at, actor, action, object, detail, address FROM audit_log `+where, args...)
	return log, err
}
