package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// UserSince returns when a user was added.
func (s *Store) UserSince(ctx context.Context, seq int64) (time.Time, error) {
	var at int64
	err := s.read.QueryRowContext(ctx, `SELECT created_at FROM users WHERE seq = $1`, seq).Scan(&at)
	return fromMillis(at), s.fail(err, "read since when user %d exists", seq)
}

// RoleChanged returns when a user was last added to a role, or removed from it, according to the audit log; zero: it is not
// in the log.
func (s *Store) RoleChanged(ctx context.Context, seq int64, role string, added bool) (time.Time, error) {
	action := "user.role.remove"
	if added {
		action = "user.role.add"
	}
	var at int64
	err := s.read.QueryRowContext(ctx, `SELECT at FROM audit_log WHERE object_kind = 'user' AND object_id = $1 AND action = $2 AND detail = $3
		ORDER BY id DESC LIMIT 1`, refID(notifier.UserRef(notifier.User{Seq: seq})), action, text(role)).Scan(&at)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return fromMillis(at), s.fail(err, "read when user %d and role %q changed", seq, role)
}

// DeviceLeft returns when the last device of a user ended; zero: none has.
func (s *Store) DeviceLeft(ctx context.Context, seq int64) (time.Time, error) {
	var at sql.Null[int64]
	err := s.read.QueryRowContext(ctx, `SELECT MAX(at) FROM left_devices WHERE seq = $1`, seq).Scan(&at)
	return fromMillis(at.V), s.fail(err, "read when the devices of user %d ended", seq)
}
