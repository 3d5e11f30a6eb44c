package rule

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// maxBytes limits the size of a query's result.
const maxBytes = 64 << 20

// serverGrace is how much longer than the rule's timeout a query may run before the database server
// cancels it.
const serverGrace = time.Second

// table is the result of a query.
type table struct {
	columns []string
	rows    []map[string]any
}

// runQuery runs the rule's query, which can only read, on a separate connection. In all cases it leaves
// the database unchanged and the connection closed.
func (r *Rule) runQuery(ctx context.Context) (found *table, err error) {
	deadline := time.Now().Add(r.Timeout)
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer func() {
		// Report the timeout even if an error of the database arrives before the timer that ends
		// ctx.
		if err != nil && !time.Now().Before(deadline) {
			err = fmt.Errorf("no answer within %v", r.Timeout)
		}
		cancel()
	}()
	if r.source.postgres != nil {
		return r.askPostgres(ctx)
	}
	return r.askSQLite(ctx)
}

func (r *Rule) askPostgres(ctx context.Context) (*table, error) {
	db := stdlib.OpenDB(*r.source.postgres)
	defer func() { _ = db.Close() }()
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }()
	// Our own query must come first: after it the transaction cannot be switched to read-write. The
	// limit ends the rule's query even if this process is gone. It is longer than our own timeout, so
	// that a server with a fast clock does not cancel a query early.
	limit := strconv.FormatInt((r.Timeout + serverGrace).Milliseconds(), 10)
	if _, err = tx.ExecContext(ctx, `SELECT set_config('statement_timeout', $1, true)`, limit); err != nil {
		return nil, err
	}
	return r.read(ctx, tx)
}

func (r *Rule) askSQLite(ctx context.Context) (*table, error) {
	file, err := filepath.Abs(r.source.file)
	if err != nil {
		return nil, err
	}
	dsn := url.URL{Scheme: "file", OmitHost: true, Path: file, RawQuery: url.Values{
		"mode": {"ro"}, "_pragma": {"busy_timeout(" + strconv.FormatInt(min(r.Timeout, time.Second).Milliseconds(), 10) + ")", "query_only(1)"},
	}.Encode()}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", file, err)
	}
	defer func() { _ = conn.Close() }()
	// An attached file could be written to.
	if _, err = sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_ATTACHED, 0); err != nil {
		return nil, err
	}
	return r.read(ctx, conn)
}

// read runs the query and reads its rows, up to the limits.
func (r *Rule) read(ctx context.Context, db interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
},
) (*table, error) {
	// A result above the limits is not read to its end: the connection is closed instead.
	ctx, cut := context.WithCancel(ctx)
	defer cut()
	rows, err := db.QueryContext(ctx, r.Query)
	if err != nil {
		return nil, err
	}
	defer func() { cut(); _ = rows.Close() }()
	found := &table{}
	if found.columns, err = rows.Columns(); err != nil {
		return nil, err
	}
	if twice := repeated(found.columns); twice != "" {
		return nil, fmt.Errorf("the query returns two columns named %q", twice)
	}
	size := 0
	for rows.Next() {
		if len(found.rows) == r.MaxRows {
			return nil, fmt.Errorf("the query returns more than %d rows (max_rows)", r.MaxRows)
		}
		row, n, err := scan(rows, found.columns)
		if err != nil {
			return nil, err
		}
		if size += n; size > maxBytes {
			return nil, fmt.Errorf("the query returns more than %d MB", maxBytes>>20)
		}
		found.rows = append(found.rows, row)
	}
	return found, rows.Err()
}

func scan(rows *sql.Rows, columns []string) (row map[string]any, size int, err error) {
	raw := make([]any, len(columns))
	to := make([]any, len(columns))
	for i := range raw {
		to[i] = &raw[i]
	}
	if err = rows.Scan(to...); err != nil {
		return nil, 0, err
	}
	row = make(map[string]any, len(columns))
	for i, name := range columns {
		switch v := raw[i].(type) {
		case string:
			size += len(v)
		case []byte:
			size += len(v)
		}
		row[name] = value(raw[i])
	}
	return row, size, nil
}

func repeated(columns []string) string {
	seen := map[string]bool{}
	for _, name := range columns {
		if seen[name] {
			return name
		}
		seen[name] = true
	}
	return ""
}
