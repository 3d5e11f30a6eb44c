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

// probeSize is more than finds room in what is there already.
const probeSize = 64 << 10

// Writable says whether the database takes changes: nil, or an ErrUnavailable whose
// Trouble says more. It adds a row that nobody sees, with what a large notice is long,
// and removes it in the same transaction.
func (s *Store) Writable(ctx context.Context) error {
	noise := make([]byte, probeSize/2) // which no database makes smaller
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

// Trouble is why a database takes no changes though it may answer questions.
type Trouble string

// What somebody has to do about differs.
const (
	TroubleUnknown  Trouble = ""
	TroubleFull     Trouble = "its disk is full"
	TroubleDisk     Trouble = "its file cannot be read or written"
	TroubleLocked   Trouble = "another process has it locked"
	TroubleReadOnly Trouble = "it may only be read"
)

// TroubleOf finds it in an error of this package.
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
