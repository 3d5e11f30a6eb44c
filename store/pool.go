package store

import (
	"context"
	"database/sql"
	"time"
)

// Call is a kind of call to the database.
type Call int

// The timed calls.
const (
	CallBegin       Call   = iota // until a transaction has begun; SQLite has only one writer
	CallTransaction               // from then to the end of its commit
	CallQuery                     // a query outside of transactions, until its first row
	CallChange                    // a statement outside of transactions
	CallAccept                    // storing notices, including the wait for a shared commit
	Calls           = iota        // number of kinds
)

// String returns the name of the kind.
func (c Call) String() string {
	return [Calls]string{"begin", "transaction", "query", "change", "accept"}[c]
}

// Timing receives the duration of each call of a context, including failed calls.
type Timing func(ctx context.Context, call Call, took time.Duration)

// since reports the time since began.
func (t Timing) since(ctx context.Context, call Call, began time.Time) {
	if t != nil {
		t(ctx, call, time.Since(began))
	}
}

// pool is a pool of connections whose calls are timed. Transactions and prepared statements are timed
// where they are used.
type pool struct {
	*sql.DB
	timing Timing
}

// QueryContext times the query until the first row.
func (p *pool) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	defer p.timing.since(ctx, CallQuery, time.Now())
	return p.DB.QueryContext(ctx, query, args...) //nolint:sqlclosecheck // the caller does
}

// QueryRowContext times the query until the first row.
func (p *pool) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	defer p.timing.since(ctx, CallQuery, time.Now())
	return p.DB.QueryRowContext(ctx, query, args...)
}

// ExecContext times the statement.
func (p *pool) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	defer p.timing.since(ctx, CallChange, time.Now())
	return p.DB.ExecContext(ctx, query, args...)
}

// Pools returns the pools of connections by name. On PostgreSQL readers and writer share one.
func (s *Store) Pools() map[string]*sql.DB {
	if s.write == s.read {
		return map[string]*sql.DB{"all": s.read.DB}
	}
	return map[string]*sql.DB{"readers": s.read.DB, "writer": s.write.DB}
}
