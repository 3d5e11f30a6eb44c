package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/pressly/goose/v3"

	"github.com/carillonhq/carillon/notifier"
)

// dialect is where the two databases differ.
type dialect interface {
	// schema names the dialect to goose, and the directory of its migrations.
	schema() (goose.Dialect, string)
	// lock keeps other processes from migrating until release is called.
	lock(ctx context.Context) (release func(), err error)
	// within is the condition that a column is one of the values of parameter
	// n, which is made by textList or numberList.
	within(column string, n int) string
	textList(values []string) any
	numberList(values []int64) any
	// pairs is a statement that reads parameter n, the JSON of a list of pairs of
	// texts, into columns of these names, each pair once.
	pairs(first, second string, n int) string
	// subscribers reads the type, scope, number of a user or 0, and name of a role or
	// nothing, of whoever subscribes to the topics in t, topic by topic.
	subscribers() string
	// addUsers inserts rows in their order. taken is the index of the first row
	// whose name is borne by another; -1: none is.
	addUsers(ctx context.Context, tx *sql.Tx, rows []userRow) (taken int, err error)
	// addMembers adds pairs of role and user; those that exist stay.
	addMembers(ctx context.Context, tx *sql.Tx, roles, seqs []int64) error
	// addNotices stores rows in one transaction and gives each its id, or replays
	// it. An error says that none was stored.
	addNotices(ctx context.Context, s *Store, rows []*noticeRow) error
	// confirm makes accepted notices sent, those that are still what they were,
	// and returns the ids of the others but those that are sent. ids and revisions
	// go together; no id comes twice.
	confirm(ctx context.Context, s *Store, ids, revisions []int64) (moved []int64, err error)
	// saveReads stores segments where they are newer than what is stored. They
	// are of different places.
	saveReads(ctx context.Context, tx *sql.Tx, segments []notifier.ReadSegment) error
	// saveSnapshots stores inboxes where they are newer than what is stored. They
	// are of different users.
	saveSnapshots(ctx context.Context, tx *sql.Tx, rows []snapshotRow) error
	// saveCounts raises counts to these. They are of different places.
	saveCounts(ctx context.Context, tx *sql.Tx, counts []notifier.NoticeCount) error
	// locked is whether a statement was not begun because another process writes.
	locked(err error) bool
	// fault classifies an error of the driver.
	fault(err error) fault
}

type fault int

const (
	faultOther    fault = iota
	faultConflict       // a unique value exists already
	faultMissing        // a row that is referred to does not exist
	faultAway           // the database is away, full, busy or on its way down
)

// fail wraps an error with what was being done and turns it into one of the
// errors of package notifier where it is one. It returns nil for nil.
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
		return fmt.Errorf("%s: %w: %w", doing, known, err)
	}
}

// meaning is the error of package notifier that err should be, or nil when it
// has its meaning already or none that callers tell apart.
func (s *Store) meaning(err error) error {
	var bad *notifier.InvalidError
	switch {
	case errors.As(err, &bad): // its text is the sender's, and must not be taken for a driver's
		return nil
	case errors.Is(err, notifier.ErrUnavailable), errors.Is(err, notifier.ErrNotFound), errors.Is(err, notifier.ErrConflict):
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return notifier.ErrNotFound
	case errors.Is(err, context.Canceled):
		return nil // the caller left; the database may be well
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, sql.ErrConnDone):
		return notifier.ErrUnavailable
	}
	switch s.dialect.fault(err) {
	case faultConflict:
		return notifier.ErrConflict
	case faultMissing:
		return notifier.ErrNotFound
	case faultAway:
		return notifier.ErrUnavailable
	case faultOther:
	}
	return nil
}
