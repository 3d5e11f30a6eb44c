package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/store"
)

// Instances that share few connections to PostgreSQL through PgBouncer, in transaction mode, leave no state on them.
func TestInstancesBehindPgBouncerShareConnections(t *testing.T) {
	t.Parallel()
	pooler := sqltest.Pooled(t)
	var opening sync.WaitGroup
	stores := make([]*store.Store, 4)
	for i := range stores {
		opening.Go(func() {
			s, err := store.Open(context.Background(), store.Config{URL: pooler.URL})
			if err != nil {
				t.Errorf("open: %v", err)
				return
			}
			stores[i] = s
			t.Cleanup(func() { _ = s.Close() })
		})
	}
	opening.Wait()
	if t.Failed() {
		return
	}
	var work sync.WaitGroup
	for i, s := range stores {
		for j := range 8 {
			work.Go(func() {
				for k := range 10 {
					name := fmt.Sprint("user-", i, "-", j, "-", k)
					addUser(t, s, name)
					if _, err := s.UserByName(t.Context(), name); err != nil {
						t.Errorf("%s: %v", name, err)
					}
					if err := s.Writable(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	work.Wait()
	direct := must(sql.Open("pgx", pooler.Direct))(t)
	defer func() { _ = direct.Close() }()
	count := func(query string) (n int) {
		if err := direct.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count(`SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`); n != 0 {
		t.Errorf("%d advisory locks are left", n)
	}
	if n := count(`SELECT count(*) FROM users`); n != 320 {
		t.Errorf("%d users, want 320", n)
	}
}

// A process killed while it holds the schema lock leaves no lock behind, with and without a pooler.
func TestALockOfTheSchemaEndsWithItsHolder(t *testing.T) {
	t.Parallel()
	pooler := sqltest.Pooled(t)
	for name, address := range map[string]string{"direct": pooler.Direct, "pooled": pooler.URL} {
		holder := must(store.Open(t.Context(), store.Config{URL: address}))(t)
		held := must(store.HoldSchema(t.Context(), holder))(t)
		opened := make(chan error, 1)
		go func() {
			s, err := store.Open(context.Background(), store.Config{URL: address})
			if err == nil {
				err = s.Close()
			}
			opened <- err
		}()
		select {
		case err := <-opened:
			t.Errorf("%s: another has passed the lock, %v", name, err)
		default:
		}
		held() // its connection ends
		if err := <-opened; err != nil {
			t.Errorf("%s: %v", name, err)
		}
		_ = holder.Close()
	}
}

// Without a pooler, statements are prepared once per connection, which is faster.
func TestADirectConnectionKeepsPreparedStatements(t *testing.T) {
	t.Parallel()
	pooler := sqltest.Pooled(t)
	for address, want := range map[string]bool{pooler.Direct: true, pooler.URL: false} {
		s := must(store.Open(t.Context(), store.Config{URL: address}))(t)
		if got := store.Prepares(t, s); got != want {
			t.Errorf("%s: prepares is %t", address, got)
		}
		_ = s.Close()
	}
}

// A password can change while connections made with the old one are in use: each new connection uses the new one.
func TestEachConnectionHasThePasswordOfItsTime(t *testing.T) {
	t.Parallel()
	pooler := sqltest.Pooled(t)
	pooler.Password(t, "the first")
	var password atomic.Value
	password.Store("the first")
	s := must(store.Open(t.Context(), store.Config{URL: pooler.URL, Password: func() (string, error) { return password.Load().(string), nil }}))(t)
	t.Cleanup(func() { _ = s.Close() })
	pooler.Password(t, "the second")
	password.Store("the second")
	for range 3 { // more than there are old connections
		var work sync.WaitGroup
		for range 8 {
			work.Go(func() {
				if err := s.Writable(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		work.Wait()
	}
}
