package source

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// grace is how much longer than its limit a query may run before the database server cancels it, so that a server
// with a fast clock does not cancel a query early.
const grace = time.Second

// Querier runs a query.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Read calls do with a new connection that can only read, and closes it. Nothing that do queries changes the database. The
// server ends a query shortly after the limit, even if this process is gone; the caller ends it at the limit by ctx.
func (s Source) Read(ctx context.Context, limit time.Duration, do func(Querier) error) error {
	switch s.Dialect() {
	case Postgres:
		return s.readPostgres(ctx, limit, do)
	case MySQL:
		return s.readMySQL(ctx, limit, do)
	case SQLite:
	}
	return s.readSQLite(ctx, limit, do)
}

func (s Source) readPostgres(ctx context.Context, limit time.Duration, do func(Querier) error) error {
	db := stdlib.OpenDB(*s.postgres)
	defer func() { _ = db.Close() }()
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	// Our own query must come first: after it the transaction cannot be switched to read-write.
	set := strconv.FormatInt((limit + grace).Milliseconds(), 10)
	if _, err = tx.ExecContext(ctx, `SELECT set_config('statement_timeout', $1, true)`, set); err != nil {
		return err
	}
	return do(tx)
}

func (s Source) readMySQL(ctx context.Context, limit time.Duration, do func(Querier) error) error {
	db, err := openMySQL(s.mysql.Clone())
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err = limitMySQL(ctx, conn, limit+grace); err != nil {
		return err
	}
	// A statement that ends the transaction finds a session that can only read.
	if _, err = conn.ExecContext(ctx, `SET SESSION TRANSACTION READ ONLY`); err != nil {
		return err
	}
	tx, err := conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	return do(tx)
}

func (s Source) readSQLite(ctx context.Context, limit time.Duration, do func(Querier) error) error {
	db, err := s.openSQLite("ro", min(limit, time.Second), "query_only(1)")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("open %s: %w", s.Database(), err)
	}
	defer func() { _ = conn.Close() }()
	// An attached file could be written to.
	if _, err = sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_ATTACHED, 0); err != nil {
		return err
	}
	return do(conn)
}
