package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// probeSize is too large to fit into the free space of existing pages.
const probeSize = 64 << 10

// Writable returns nil if the database accepts changes, else an ErrUnavailable; TroubleOf tells the
// cause. It inserts a row as long as a large notice and deletes it in the same transaction, so that
// nobody sees it.
func (s *Store) Writable(ctx context.Context) error {
	noise := make([]byte, probeSize/2) // random, so that no database compresses it
	if _, err := rand.Read(noise); err != nil {
		return err
	}
	err := s.tx(ctx, func(tx *sql.Tx) error {
		var id int64
		err := tx.QueryRowContext(ctx, `INSERT INTO dead_letters (notice_id, entry, reason, tries, created_at)
			VALUES (0, $1, 'a probe', 0, 0) RETURNING id`, hex.EncodeToString(noise)).Scan(&id)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM dead_letters WHERE id = $1`, id)
		return err
	})
	return s.fail(err, "try a change")
}

// Trouble is the reason why a database accepts no changes, even if it answers queries.
type Trouble string

// Each cause needs a different remedy.
const (
	TroubleUnknown  Trouble = ""
	TroubleFull     Trouble = "its disk is full"
	TroubleDisk     Trouble = "its file cannot be read or written"
	TroubleLocked   Trouble = "another process has it locked"
	TroubleReadOnly Trouble = "it is read-only"
)

// TroubleOf returns the cause of an error of this package.
func TroubleOf(err error) Trouble {
	var lite *sqlite.Error
	var pg *pgconn.PgError
	switch {
	case errors.As(err, &lite):
		switch lite.Code() & 0xff { // the rest is detail
		case sqlite3.SQLITE_FULL:
			return TroubleFull
		case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			return TroubleDisk
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
			return TroubleLocked
		case sqlite3.SQLITE_READONLY:
			return TroubleReadOnly
		}
	case errors.As(err, &pg):
		switch pg.Code {
		case "53100": // disk_full
			return TroubleFull
		case "58030": // io_error
			return TroubleDisk
		case "55P03": // lock_not_available
			return TroubleLocked
		case "25006": // read_only_sql_transaction
			return TroubleReadOnly
		}
	}
	return TroubleUnknown
}
