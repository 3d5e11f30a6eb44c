package store

import (
	"context"
	"database/sql"
	"testing"

	"github.com/jackc/pgx/v5/stdlib"

	"github.com/carillonhq/carillon/notifier"
)

// Announce is AnnounceOnce without an idempotency key: each call stores a new announcement.
func (s *Store) Announce(ctx context.Context, n *notifier.Notice) error {
	_, err := s.AnnounceOnce(ctx, notifier.Deed{}, n, nil)
	return err
}

// AuditLog lists entries newest first: those with an id below before, or from the newest if
// before is 0.
func (s *Store) AuditLog(ctx context.Context, before int64, limit int) ([]notifier.AuditEntry, error) {
	log, err := s.auditEntries(ctx, `WHERE id < $1 OR $1 = 0 ORDER BY id DESC LIMIT $2`, before, limit)
	return log, s.fail(err, "read the audit log")
}

// DeleteUser is BeginDeletion, Forget and EndDeletion in one.
func (s *Store) DeleteUser(ctx context.Context, name string) (notifier.Deletion, error) {
	d, _, err := s.BeginDeletion(ctx, name)
	if err == nil {
		err = s.Forget(ctx, d, nil, nil)
	}
	if err == nil {
		err = s.EndDeletion(ctx, d.Seq)
	}
	return d, err
}

// Tx runs do in a transaction.
func (s *Store) Tx(ctx context.Context, do func(*sql.Tx) error) error { return s.tx(ctx, do) }

// CurrentQuery is the query of CurrentAnnouncements, for the test of its plan.
var CurrentQuery = announcementsQuery(current)

// OpenQuery is the query of the limit on open announcements, for the test of its plan.
func OpenQuery(s *Store) string { return s.openQuery() }

// CountAudience is the query of AudienceSize, for the test of its plan.
const CountAudience = countAudienceQuery

// LargeAudience sets the size above which audience sizes are cached.
func LargeAudience(s *Store, size int64) { s.sizes.large = size }

// BoundNames limits the size of the name index.
func BoundNames(s *Store, most int) { s.names.bound = most }

// Exec runs a raw statement.
func Exec(tb testing.TB, s *Store, statement string, args ...any) {
	tb.Helper()
	if _, err := s.exec(tb.Context(), statement, args...); err != nil {
		tb.Fatal(err)
	}
}

// HoldSchema acquires the lock of the schema. The returned function breaks the connection that holds it.
func HoldSchema(ctx context.Context, s *Store) (func(), error) {
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return nil, err
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	_, err = tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(schemaLock))
	return func() {
		_ = conn.Raw(func(c any) error { return c.(*stdlib.Conn).Conn().PgConn().Conn().Close() })
		_ = tx.Rollback()
		_ = conn.Close()
	}, err
}

// Prepares reports whether connections keep prepared statements.
func Prepares(tb testing.TB, s *Store) bool {
	tb.Helper()
	var n int
	if err := s.write.QueryRowContext(tb.Context(), `SELECT count(*) FROM pg_prepared_statements`).Scan(&n); err != nil {
		tb.Fatal(err)
	}
	return n > 0
}

// The encoding of reasons.
var (
	EncodeReasons = encodeReasons
	DecodeReasons = decodeReasons
)

// The encoding of inboxes, for tests that need no database.
var (
	EncodeRows = encodeRows
	DecodeRows = decodeRows
	EncodeGone = encodeGone
	DecodeGone = decodeGone

	EncodeArchived = encodeArchived
	DecodeArchived = decodeArchived
)

// NoticeCountsQuery is the query of NoticeCounts, for the test of its plan.
const NoticeCountsQuery = noticeCountsQuery

// SubscriptionsQuery is the query of Subscriptions, for the test of its plans.
var SubscriptionsQuery = subscriptionsQuery

// SubjectQuery is the condition of NoticesBySubject, for the test of its plan.
func SubjectQuery(s *Store) string { return s.subjectQuery() }

// The queries of SubscribersOf and AllSubscribers, for the test of their plans.
func SubscribersQuery(s *Store) string    { return s.subscribersQuery() }
func AllSubscribersQuery(s *Store) string { return s.allSubscribersQuery() }

// The queries of an export, for the test of their plans.
const (
	SentByQuery    = sentByQuery
	DidQuery       = didQuery
	CalledFirst    = calledFirst
	SufferedQuery  = sufferedQuery
	NoticeLogQuery = noticeLogQuery
	UserLogQuery   = userLogQuery
)

// SmallRole is the number of members up to which members are sorted.
const SmallRole = smallRole

// NoticesQuery is the query of Notices, with its parameters, for the test of its plan.
func NoticesQuery(tb testing.TB, s *Store, q notifier.NoticeQuery) (string, []any) {
	tb.Helper()
	f, err := s.noticeFilter(tb.Context(), q)
	if err != nil {
		tb.Fatal(err)
	}
	return `SELECT id, starts_at FROM notices LEFT JOIN announcements ON notice_id = id ` + f.where() + ` ORDER BY id DESC LIMIT 50`, f.args
}

// NumberList is a list of numbers as a parameter.
func NumberList(s *Store, numbers ...int64) any { return s.dialect.numberList(numbers) }

// SyncLevel returns the value of PRAGMA synchronous for SQLite's writer.
func SyncLevel(tb testing.TB, s *Store) (level int) {
	tb.Helper()
	if err := s.write.QueryRowContext(tb.Context(), `PRAGMA synchronous`).Scan(&level); err != nil {
		tb.Fatal(err)
	}
	return level
}
