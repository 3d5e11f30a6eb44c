package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// forgotten replaces the name of a deleted user in the audit log.
const forgotten = "deleted"

const addAuditEntry = `INSERT INTO audit_log (at, actor_kind, actor_id, action, object_kind, object_id, detail, address)
	VALUES ($1, $2, $3, $4, $5, COALESCE((SELECT CAST(seq AS TEXT) FROM users WHERE name = $6), $7), $8, $9)`

// Audit adds an entry to the log. If its object is a user without a number, the number is looked
// up.
func (s *Store) Audit(ctx context.Context, e notifier.AuditEntry) error {
	_, err := s.exec(ctx, addAuditEntry, s.auditArgs(&e)...)
	return s.fail(err, "write %s to the audit log", e.Action)
}

// record adds the entry of a change to the log, in the same transaction. A change without an
// author, such as demonstration data, has no entry.
func (s *Store) record(ctx context.Context, tx *sql.Tx, by notifier.Actor, action string, object notifier.Ref, detail string) error {
	if by.Kind == "" {
		return nil
	}
	e := notifier.AuditEntry{Actor: by.Ref, Address: by.Address, Action: action, Object: object, Detail: detail}
	var err error
	if s.ready.audit != nil {
		_, err = tx.StmtContext(ctx, s.ready.audit).ExecContext(ctx, s.auditArgs(&e)...) //nolint:sqlclosecheck // the transaction closes it
	} else {
		_, err = tx.ExecContext(ctx, addAuditEntry, s.auditArgs(&e)...)
	}
	if err != nil {
		return fmt.Errorf("write %s to the audit log: %w", action, err)
	}
	return nil
}

// addUserEntries adds an entry for each user; the condition that names them follows.
const addUserEntries = `INSERT INTO audit_log (at, actor_kind, actor_id, action, object_kind, object_id, detail, address)
	SELECT CAST($1 AS BIGINT), $2, $3, $4, $5, CAST(seq AS TEXT), $6, $7 FROM users WHERE `

// recordUsers is record for a change of many users: each has an entry.
func (s *Store) recordUsers(ctx context.Context, tx *sql.Tx, by notifier.Actor, action string, seqs []int64, detail string) error {
	if by.Kind == "" {
		return nil
	}
	_, err := tx.ExecContext(ctx, addUserEntries+s.dialect.within("seq", 8)+` ORDER BY seq`,
		millis(s.now()), string(by.Kind), refID(by.Ref), text(action), string(notifier.KindUser), text(detail), text(by.Address), s.dialect.numberList(seqs))
	if err != nil {
		return fmt.Errorf("write %s of %d users to the audit log: %w", action, len(seqs), err)
	}
	return nil
}

// auditArgs returns the arguments of addAuditEntry.
func (s *Store) auditArgs(e *notifier.AuditEntry) []any {
	unnumbered := "" // no user has an empty name
	if e.Object.Kind == notifier.KindUser && e.Object.ID == "" {
		unnumbered = e.Object.Name
	}
	return []any{
		millis(s.now()), string(e.Actor.Kind), refID(e.Actor), text(e.Action),
		string(e.Object.Kind), text(unnumbered), refID(e.Object), text(e.Detail), text(e.Address),
	}
}

// noticeLogQuery repeats the predicate of the partial index audit_log_notice; otherwise the index
// would not be used.
const noticeLogQuery = `WHERE object_kind = 'notice' AND object_id = $1 ORDER BY id DESC LIMIT $2`

// NoticeLog returns the log entries of a notice, newest first.
func (s *Store) NoticeLog(ctx context.Context, id int64, limit int) ([]notifier.AuditEntry, error) {
	log, err := s.auditEntries(ctx, noticeLogQuery, refID(notifier.NoticeRef(id)), pageSize(limit))
	return log, s.fail(err, "read the log of notice %d", id)
}

// userLogQuery repeats the predicate of the partial index audit_log_object, like noticeLogQuery.
const userLogQuery = `WHERE object_kind = 'user' AND object_id = $1 ORDER BY id DESC LIMIT $2`

// UserLog returns the log entries about the user with this number, newest first. What they did to others is not among
// them.
func (s *Store) UserLog(ctx context.Context, seq int64, limit int) ([]notifier.AuditEntry, error) {
	log, err := s.auditEntries(ctx, userLogQuery, refID(notifier.UserRef(notifier.User{Seq: seq})), pageSize(limit))
	return log, s.fail(err, "read the log of user %d", seq)
}

func (s *Store) auditEntries(ctx context.Context, where string, args ...any) ([]notifier.AuditEntry, error) {
	var log []notifier.AuditEntry
	err := s.all(ctx, func(rows *sql.Rows) error {
		var e notifier.AuditEntry
		var at int64
		fields := append([]any{&e.ID, &at, &e.Action, &e.Detail, &e.Address}, refFields(&e.Actor)...)
		err := rows.Scan(append(fields, refFields(&e.Object)...)...)
		e.At = fromMillis(at)
		for _, r := range []*notifier.Ref{&e.Actor, &e.Object} {
			if *r == notifier.DeletedUser() {
				r.Name = forgotten
			}
		}
		log = append(log, e)
		return err
	}, `SELECT id, at, action, detail, address, `+actorColumns+`, `+objectColumns+` FROM audit_log `+where, args...)
	return log, err
}

// trimBatch is the number of log entries examined by one transaction. Senders wait for it.
const trimBatch = 2000

// TrimAudit deletes the audit log entries older than before and returns their number.
// Entries are stored in the order of their times, so only the oldest are examined. It does
// not block writers for long. If it fails, some entries may be deleted already.
func (s *Store) TrimAudit(ctx context.Context, before time.Time) (int64, error) {
	total := int64(0)
	for {
		n, err := s.exec(ctx, `DELETE FROM audit_log WHERE id IN
			(SELECT id FROM (SELECT id, at FROM audit_log ORDER BY id LIMIT $2) front WHERE at < $1)`, millis(before), trimBatch)
		total += n
		if err != nil || n < trimBatch {
			return total, s.fail(err, "trim the audit log to %s", before.Format(time.RFC3339))
		}
	}
}
