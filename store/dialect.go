package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/pressly/goose/v3"

	"github.com/carillonhq/carillon/internal/trouble"
	"github.com/carillonhq/carillon/notifier"
)

// dialect contains the differences between the two databases.
type dialect interface {
	// schema returns goose's name of the dialect and the directory of its migrations.
	schema() (goose.Dialect, string)
	// lock prevents other processes from migrating until release is called.
	lock(ctx context.Context) (release func(), err error)
	// brief returns the context for a statement that runs for microseconds on SQLite.
	brief(ctx context.Context) context.Context
	// within returns the condition that a column equals one of the values of parameter n,
	// which is a textList or numberList.
	within(column string, n int) string
	textList(values []string) any
	numberList(values []int64) any
	// skipLocked ends a SELECT that claims rows: it skips rows that another transaction is changing.
	skipLocked() string
	// lockRows ends a SELECT: it locks the rows of this table, so that transactions that change them run one after the other.
	lockRows(table string) string
	// pairs returns a SELECT that reads parameter n, a JSON list of pairs of texts, into
	// columns with these names, without duplicates.
	pairs(first, second string, n int) string
	// subscribers returns a query for the subscribers of the topics in t, topic by topic:
	// type, scope, number of a user or 0, name of a role or "".
	subscribers() string
	// clearLog empties the write-ahead log.
	clearLog(ctx context.Context, s *Store) error
	// addUsers inserts rows in order. taken is the index of the first row whose name is
	// in use, or -1.
	addUsers(ctx context.Context, tx *sql.Tx, rows []userRow) (taken int, err error)
	// addMembers adds distinct pairs of role and user, as granted manually; existing pairs are kept.
	addMembers(ctx context.Context, tx *sql.Tx, roles, seqs []int64) error
	// addNotices stores rows in one transaction and sets the id of each, or replays it.
	// After an error none is stored.
	addNotices(ctx context.Context, s *Store, rows []*noticeRow) error
	// confirm changes accepted notices to sent if they still have this revision, and returns
	// the ids of notices that are neither changed nor already sent in that revision. ids and
	// revisions are parallel; ids are unique.
	confirm(ctx context.Context, s *Store, ids, revisions []int64) (moved []int64, err error)
	// saveReads stores segments that are newer than the stored ones. Their keys must be
	// distinct.
	saveReads(ctx context.Context, tx *sql.Tx, segments []notifier.ReadSegment) error
	// saveSnapshots stores inboxes that are newer than the stored ones. Their users must be
	// distinct.
	saveSnapshots(ctx context.Context, tx *sql.Tx, rows []snapshotRow) error
	// markTargets makes the targets of users due: see Store.markTargets. The users are distinct. It returns those with
	// targets that it changed, a user once for each of them.
	markTargets(ctx context.Context, tx *sql.Tx, set, where string, rows []unreadRow) (marked []int64, err error)
	// saveCounts raises stored counts to at least these. Their keys must be distinct.
	saveCounts(ctx context.Context, tx *sql.Tx, counts []notifier.NoticeCount) error
	// addEvents stores events of hooks that are on, in order.
	addEvents(ctx context.Context, tx *sql.Tx, rows []eventRow) error
	// locked reports whether a statement did not start because another process is writing.
	locked(err error) bool
	// fault classifies an error of the driver.
	fault(err error) fault
}

type fault int

const (
	faultOther    fault = iota
	faultConflict       // a unique value exists already
	faultMissing        // a referenced row does not exist
	faultAway           // the database is unavailable, full, busy or shutting down
	faultSchema         // a table or column is missing, or requires a value that this program does not set
)

// fail wraps an error with the failed action and, if applicable, with an error of package
// notifier. It returns nil for nil. It counts ErrUnavailable: see Refused.
func (s *Store) fail(err error, doing string, args ...any) error {
	if err == nil {
		return nil
	}
	doing = fmt.Sprintf(doing, args...)
	switch known := s.meaning(err); known {
	case nil:
		return fmt.Errorf("%s: %w", doing, err)
	default:
		if errors.Is(known, notifier.ErrUnavailable) {
			s.refused.Add(1)
		}
		return fmt.Errorf("%s: %w: %w", doing, known, trouble.Mark(trouble.SQL, err))
	}
}

// meaning returns the error of package notifier for err, or nil if err already wraps one or
// callers do not distinguish it.
func (s *Store) meaning(err error) error {
	var bad *notifier.InvalidError
	switch {
	case errors.As(err, &bad): // its text comes from the sender and must not be parsed as a driver's
		return nil
	case errors.Is(err, notifier.ErrUnavailable), errors.Is(err, notifier.ErrNotFound), errors.Is(err, notifier.ErrConflict):
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return notifier.ErrNotFound
	case errors.Is(err, context.Canceled):
		return nil // the caller cancelled the call; the database may be fine
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, sql.ErrConnDone):
		return notifier.ErrUnavailable
	}
	switch s.dialect.fault(err) {
	case faultConflict:
		return notifier.ErrConflict
	case faultMissing:
		return notifier.ErrNotFound
	case faultAway, faultSchema: // notices already accepted wait until program and schema are compatible again
		return notifier.ErrUnavailable
	case faultOther:
	}
	return nil
}
