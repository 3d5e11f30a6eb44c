package rule

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/internal/source"
)

// maxBytes limits the size of a query's result.
const maxBytes = 64 << 20

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
	err = r.source.Read(ctx, r.Timeout, func(db source.Querier) error {
		found, err = r.read(ctx, db)
		return err
	})
	return found, err
}

// read runs the query and reads its rows, up to the limits.
func (r *Rule) read(ctx context.Context, db source.Querier) (*table, error) {
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
