package store

import (
	"context"
	"fmt"
	"time"
)

// clearWait is how long ClearLog retries while others read.
const clearWait = 3 * time.Second

// ClearLog removes deleted text from SQLite's write-ahead log: it moves the log's pages to the
// database, where deleted text is overwritten, and truncates the file. PostgreSQL recycles its
// log itself, and this cannot be forced for a single row.
func (s *Store) ClearLog(ctx context.Context) error {
	return s.fail(s.dialect.clearLog(ctx, s), "empty the write-ahead log")
}

func (postgresDialect) clearLog(context.Context, *Store) error { return nil }

// clearLog needs a moment in which no reader depends on pages in the log.
func (sqliteDialect) clearLog(ctx context.Context, s *Store) error {
	ctx, cancel := context.WithTimeout(ctx, clearWait)
	defer cancel()
	for {
		var busy, pages, moved int
		err := s.write.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &pages, &moved)
		if err != nil && !s.dialect.locked(err) || err == nil && busy == 0 {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("other connections kept reading: %w", ctx.Err())
		}
	}
}
