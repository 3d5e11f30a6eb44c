package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func TestConcurrentAcceptsLoseAndDuplicateNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		stores := []*store.Store{db.open(t), db.open(t)}
		ids := make([]int64, 200)
		var wg sync.WaitGroup
		for i := range ids {
			wg.Go(func() {
				d := draft()
				d.Title = fmt.Sprint("notice ", i)
				ids[i] = accept(t, stores[i%2], d).ID
			})
		}
		wg.Wait()
		for i, id := range ids {
			if got := must(stores[0].Notice(t.Context(), id))(t).Title; got != fmt.Sprint("notice ", i) {
				t.Errorf("notice %d is %q; want notice %d", id, got, i)
			}
		}
		if got := must(stores[1].Notices(t.Context(), notifier.NoticeQuery{Limit: 1000}))(t); len(got) != len(ids) {
			t.Errorf("%d notices are stored; want %d", len(got), len(ids))
		}
	})
}

func TestWriterThatWaitsTooLongReturnsErrUnavailable(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		release, settle := lockNotices(t, db)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		var wg sync.WaitGroup
		for range 20 { // the first is being stored, the others wait for the next commit
			wg.Go(func() { wantIs(t, s.Accept(ctx, &notifier.Notice{Draft: draft()}), notifier.ErrUnavailable) })
		}
		wg.Wait()
		settle()
		release()
		n := accept(t, s, draft())
		if got := must(s.Notices(t.Context(), notifier.NoticeQuery{Limit: 100}))(t); len(got) != 1 || got[0].ID != n.ID {
			t.Errorf("%d notices are stored; want only the one that was accepted", len(got))
		}
	})
}

func TestWriterWaitsForAnotherProcess(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		release, _ := lockNotices(t, db)
		accepted := make(chan error)
		go func() { accepted <- s.Accept(t.Context(), &notifier.Notice{Draft: draft()}) }()
		select {
		case err := <-accepted:
			t.Errorf("the writer did not wait: %v", err)
		case <-time.After(200 * time.Millisecond): // longer than SQLite itself waits
			release()
			if err := <-accepted; err != nil {
				t.Error(err)
			}
		}
	})
}

// lockNotices prevents all other connections from writing notices until release is called, as another process might.
// settle waits until no other statement is waiting at the server: pgx cancels statements in the background.
func lockNotices(t *testing.T, db *database) (release, settle func()) {
	t.Helper()
	lock, driver, dsn := `LOCK TABLE notices`, "pgx", db.cfg.URL
	if dsn == "" {
		lock, driver = `UPDATE notices SET rev = 0`, "sqlite"
		dsn = "file:" + filepath.Join(db.cfg.DataDir, "carillon.db") + "?_txlock=immediate"
	}
	other := must(sql.Open(driver, dsn))(t)
	tx := must(other.BeginTx(t.Context(), nil))(t)
	if _, err := tx.ExecContext(t.Context(), lock); err != nil {
		t.Fatal(err)
	}
	release = func() {
		t.Helper()
		if err := errors.Join(tx.Rollback(), other.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return release, func() {
		t.Helper()
		if driver == "pgx" {
			awaitNoneWaiting(t, other)
		}
	}
}

func awaitNoneWaiting(t *testing.T, db *sql.DB) {
	t.Helper()
	testkit.Eventually(t, "no statement waits for the lock after its caller gave up", func() bool {
		var waiting int
		err := db.QueryRowContext(t.Context(),
			`SELECT count(*) FROM pg_locks WHERE relation = 'notices'::regclass AND NOT granted`).Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
		return waiting == 0
	})
}

func TestNoticeThatCannotBeStoredDoesNotAffectOthers(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		release, _ := lockNotices(t, db)
		bad := draft()
		bad.Title = "NUL \x00" // PostgreSQL rejects it; validation rejects it earlier
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				if i == 10 {
					_ = s.Accept(t.Context(), &notifier.Notice{Draft: bad})
					return
				}
				accept(t, s, draft())
			})
		}
		release()
		wg.Wait()
		good := 0
		for _, n := range must(s.Notices(t.Context(), notifier.NoticeQuery{Limit: 100}))(t) {
			if n.Title == draft().Title {
				good++
			}
		}
		if good != 19 {
			t.Errorf("%d good notices are stored; want 19", good)
		}
	})
}

func TestCloseWaitsForTheRunningCommit(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := must(store.Open(t.Context(), db.cfg))(t)
		var wg sync.WaitGroup
		var stored atomic.Int64
		for range 50 {
			wg.Go(func() {
				err := s.Accept(t.Context(), &notifier.Notice{Draft: draft()})
				if err == nil {
					stored.Add(1)
				} else {
					wantIs(t, err, notifier.ErrUnavailable)
				}
			})
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
		wantIs(t, s.Accept(t.Context(), &notifier.Notice{Draft: draft()}), notifier.ErrUnavailable)
		if got := must(db.open(t).Notices(t.Context(), notifier.NoticeQuery{Limit: 100}))(t); int64(len(got)) != stored.Load() {
			t.Errorf("%d notices are stored; %d accepts succeeded", len(got), stored.Load())
		}
	})
}
