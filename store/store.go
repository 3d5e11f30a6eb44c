// Package store is Carillon's SQL storage: the directory of users and roles, all accepted notices
// with their recipients, the announcements with their reads, the types of notices with their
// subscribers, the findings of rules, the sessions, the API keys and the audit log. It runs on
// SQLite and on PostgreSQL with the same statements.
//
// Its methods are safe for concurrent use by many goroutines, and many processes may open the same
// database. Each change is one transaction. Errors wrap errors of package notifier: ErrNotFound,
// ErrConflict, *InvalidError, and ErrUnavailable when the database is unavailable.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/carillonhq/carillon/internal/batch"
	"github.com/carillonhq/carillon/notifier"
)

// DefaultMaxSeq is the highest user number if Config.MaxSeq is 0.
const DefaultMaxSeq = 16_000_000

// lockWait is how long a change waits for a writer in another process, such as an import that runs
// next to a server.
const lockWait = 15 * time.Second

// Config contains the location of the data and the limit on the number of users.
type Config struct {
	URL      string                 // postgres://…; empty: SQLite
	Password func() (string, error) // reads the password of PostgreSQL for each new connection; nil: it is in the URL
	DataDir  string                 // directory of SQLite's carillon.db, created if missing
	MaxSeq   int64                  // no user gets a higher number; 0: DefaultMaxSeq
	Mail     notifier.When          // when users without a setting get mail
	Zone     string                 // the time zone of users without one of their own, IANA; empty: UTC
	Now      func() time.Time       // nil: time.Now
	Timing   Timing                 // nil: calls are not timed
	Noted    Noted                  // nil: not called
	Program  string                 // the version of this program, for people
}

// Noted is called once for a user whose profile was corrected; see notifier.ProfileNotes.
type Noted func(ctx context.Context, seq int64, notes string)

// Store is an open database.
type Store struct {
	dialect dialect
	timing  Timing
	read    *pool
	write   *pool // the same as read, except on SQLite, which has one writer
	maxSeq  int64
	now     func() time.Time
	accepts *batch.Queue[*unit]
	names   nameIndex
	sizes   audienceSizes
	refused atomic.Int64 // calls that failed because the database is unavailable
	ready   statements
	mail    notifier.When
	zone    string

	defaults mailDefault
	marks    marks
	wanted   wantedEvents
	noted    Noted
	program  string
}

// Open opens the database and migrates its schema. Several processes may do so concurrently: one of
// them migrates, and the others wait for it.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	s := &Store{maxSeq: cfg.MaxSeq, now: cfg.Now, timing: cfg.Timing, mail: cfg.Mail, zone: cfg.Zone, noted: cfg.Noted, program: cfg.Program}
	s.accepts = s.newAccepts()
	if s.maxSeq == 0 {
		s.maxSeq = DefaultMaxSeq
	}
	if s.now == nil {
		s.now = time.Now
	}
	open := func() error { return s.openSQLite(cfg.DataDir) }
	if cfg.URL != "" {
		open = func() error { return s.openPostgres(cfg.URL, cfg.Password) }
	}
	if err := open(); err != nil {
		return nil, err
	}
	if _, err := s.Migrate(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(s.fail(err, "prepare the common queries"), s.Close())
	}
	return s, nil
}

// Close closes the database after the running statements have ended.
func (s *Store) Close() error {
	s.accepts.Close()
	err := s.write.Close()
	if s.read != s.write {
		err = errors.Join(err, s.read.Close())
	}
	return err
}

// Refused returns the number of calls that failed because the database was unavailable, full, locked by
// another process, or too slow.
func (s *Store) Refused() int64 { return s.refused.Load() }

// tx runs do in a transaction on the writer and commits it if do returns nil.
func (s *Store) tx(ctx context.Context, do func(*sql.Tx) error) error {
	return s.begun(ctx, func() (*sql.Tx, error) { return s.write.BeginTx(ctx, nil) }, do)
}

// begun runs do in the transaction that begin begins.
func (s *Store) begun(ctx context.Context, begin func() (*sql.Tx, error), do func(*sql.Tx) error) error {
	var tx *sql.Tx
	began := time.Now()
	err := s.patiently(ctx, func() (err error) {
		tx, err = begin() // SQLite acquires its lock only here
		return err
	})
	s.timing.since(ctx, CallBegin, began)
	if err != nil {
		return err
	}
	defer s.timing.since(ctx, CallTransaction, time.Now())
	defer func() { _ = tx.Rollback() }() // does nothing after Commit
	if err = do(tx); err == nil {
		if err = tx.Commit(); err != nil {
			err = fmt.Errorf("commit: %w", err)
		}
	}
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil {
		return ctx.Err() // it was rolled back when ctx ended
	}
	return err
}

// all runs a query on the readers and passes each row to scan.
func (s *Store) all(ctx context.Context, scan func(*sql.Rows) error, query string, args ...any) error {
	rows, err := s.read.QueryContext(ctx, query, args...)
	return each(rows, err, scan)
}

// each passes each row to scan and closes rows.
func each(rows *sql.Rows, err error, scan func(*sql.Rows) error) error {
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// exec runs one statement on the writer and returns the number of rows changed.
func (s *Store) exec(ctx context.Context, query string, args ...any) (changed int64, err error) {
	err = s.patiently(ctx, func() error {
		res, err := s.write.ExecContext(ctx, query, args...)
		if err != nil {
			return err
		}
		changed, err = res.RowsAffected()
		return err
	})
	return changed, err
}

// change runs one statement in a transaction and returns the number of rows changed.
func change(ctx context.Context, tx *sql.Tx, statement string, args ...any) (int64, error) {
	res, err := tx.ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// patiently retries do while another process holds the lock, for at most lockWait. A failed do must
// not have changed anything.
func (s *Store) patiently(ctx context.Context, do func() error) error {
	limit := time.NewTimer(lockWait)
	defer limit.Stop()
	var lock error // the last lock error: when ctx ends during a wait, the driver no longer reports it
	for {
		err := do()
		if err != nil && lock != nil && errors.Is(err, ctx.Err()) {
			return fmt.Errorf("%w: %w", err, lock)
		}
		if !s.dialect.locked(err) {
			return err
		}
		lock = err
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		case <-limit.C:
			return err
		default: // do itself has waited
		}
	}
}

// millis returns the stored form of a time: milliseconds since 1970, or 0 for the zero time.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
