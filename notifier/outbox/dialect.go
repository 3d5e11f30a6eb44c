package outbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/carillonhq/carillon/internal/source"
)

// dialect is how a kind of database is read.
type dialect struct {
	quote   string
	moment  string // created_at as a text that is the same in each session
	size    string // bytes of the payload
	text    string // the payload
	numbers bool   // arguments are $1, not ?

	prepare func(ctx context.Context, l *link) error         // the connection
	obtain  func(ctx context.Context, l *link) (bool, error) // tries to get the lock of the table
}

var dialects = map[source.Dialect]dialect{
	source.Postgres: {
		quote: `"`, moment: `CAST(EXTRACT(EPOCH FROM created_at) AS TEXT)`, size: `OCTET_LENGTH(CAST(payload AS TEXT))`, text: `CAST(payload AS TEXT)`,
		numbers: true, prepare: preparePostgres, obtain: lockPostgres,
	},
	source.MySQL: {
		quote: "`", moment: `CAST(created_at AS CHAR)`, size: `LENGTH(payload)`, text: `CAST(payload AS CHAR)`,
		prepare: prepareMySQL, obtain: lockMySQL,
	},
	source.SQLite: {
		quote: `"`, moment: `CAST(created_at AS TEXT)`, size: `LENGTH(CAST(payload AS BLOB))`, text: `CAST(payload AS TEXT)`,
		prepare: func(context.Context, *link) error { return nil }, obtain: lockSQLite,
	},
}

// quoted returns the name of a table for a statement.
func (d dialect) quoted(table string) string {
	return d.quote + strings.ReplaceAll(table, ".", d.quote+"."+d.quote) + d.quote
}

// place returns the place of an argument, from 1.
func (d dialect) place(n int) string {
	if d.numbers {
		return "$" + strconv.Itoa(n)
	}
	return "?"
}

// channel is where the trigger of the table on PostgreSQL notifies readers.
const channel = "carillon_outbox"

// lockSpace distinguishes our advisory locks: "cari" in ASCII.
const lockSpace = 0x63_61_72_69

// preparePostgres listens, unless a pooler is in between.
func preparePostgres(ctx context.Context, l *link) (err error) {
	if l.pooled, err = source.Pooled(ctx, l.conn); err != nil || l.pooled {
		return err
	}
	_, err = l.conn.ExecContext(ctx, `LISTEN `+channel)
	l.listens = err == nil
	return err
}

// lockPostgres locks the number of the table, so that each way to write its name is the same lock. Behind a pooler, a lock
// of the session may stay with a connection that others use; there it belongs to a transaction, for which the pooler reserves
// a connection as long as it is open.
func lockPostgres(ctx context.Context, l *link) (mine bool, err error) {
	of := `(` + strconv.Itoa(lockSpace) + `, CAST(CAST(to_regclass($1) AS oid) AS bigint)::bit(32)::int)`
	table := l.quoted(l.box.Table)
	if !l.pooled {
		err = l.conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock`+of, table).Scan(&mine)
		return mine, err
	}
	tx, err := l.db.BeginTx(context.WithoutCancel(ctx), nil) // it outlives the call
	if err != nil {
		return false, err
	}
	err = tx.QueryRowContext(ctx, `SELECT pg_try_advisory_xact_lock`+of, table).Scan(&mine)
	if err == nil && mine {
		_, err = tx.ExecContext(ctx, `SET LOCAL idle_in_transaction_session_timeout = 0`)
	}
	if err != nil || !mine {
		_ = tx.Rollback()
		return false, err
	}
	l.holding = tx
	return true, nil
}

// prepareMySQL keeps the server from ending the session, and with it the lock, while Carillon stores rows.
func prepareMySQL(ctx context.Context, l *link) error {
	_, err := l.conn.ExecContext(ctx, `SET SESSION wait_timeout = 600, SESSION innodb_lock_wait_timeout = 5`)
	return err
}

// lockMySQL gets a lock of the server by name, which may have 64 characters. It ends with the session.
func lockMySQL(ctx context.Context, l *link) (bool, error) {
	table := l.box.Table
	if !strings.Contains(table, ".") {
		table = l.box.Source.Database() + "." + table
	}
	sum := sha256.Sum256([]byte(table))
	var mine *int // NULL: the server has no memory for it
	err := l.conn.QueryRowContext(ctx, `SELECT GET_LOCK(?, 0)`, "carillon_outbox_"+hex.EncodeToString(sum[:16])).Scan(&mine)
	return mine != nil && *mine == 1, err
}

// lockSQLite locks a file beside the database, which ends with this process.
func lockSQLite(_ context.Context, l *link) (bool, error) {
	file, err := os.OpenFile(fmt.Sprintf("%s-%s.lock", l.box.Source.Database(), l.box.Table), os.O_RDONLY|os.O_CREATE, 0o644) //nolint:gosec // it is empty, and another installation may run as another user
	if err != nil {
		return false, err
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err != nil {
		_ = file.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = nil
		}
		return false, err
	}
	l.unlock = func() { _ = file.Close() }
	return true, nil
}
