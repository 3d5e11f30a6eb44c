package store_test

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/carillonhq/carillon/internal/faulty"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// large returns a batch of about 800 KB with keys.
func large() []*notifier.Acceptance {
	all := batch(200)
	for i, a := range all {
		a.Notice.Body = strings.Repeat("x", 4000)
		a.Once = &notifier.Once{Owner: notifier.KeyRef("o"), Key: strconv.Itoa(i)}
	}
	return all
}

// fullAndFree checks that a store keeps its promises while there is no room for large, and after free has made room.
func fullAndFree(t *testing.T, s *store.Store, free func()) {
	t.Helper()
	before := count(t, s)
	for range 3 {
		all := large()
		wantIs(t, s.AcceptAll(t.Context(), notifier.Deed{}, all), notifier.ErrUnavailable)
		for i, a := range all {
			if a.Notice.ID != 0 || a.Replayed || a.Err != nil {
				t.Fatalf("notice %d of a batch that was not stored: id %d, replayed %v, %v", i, a.Notice.ID, a.Replayed, a.Err)
			}
		}
		if got := count(t, s); got != before {
			t.Fatalf("%d notices are stored while the disk is full; want %d", got, before)
		}
	}
	free()
	all := large()
	acceptAll(t, s, all...)
	for i, a := range all {
		if a.Replayed {
			t.Fatalf("request %d is replayed: its key was stored without its notice", i)
		}
	}
	if got := count(t, s); got != before+len(all) {
		t.Errorf("%d notices are stored; want %d", got, before+len(all))
	}
}

func TestFullSQLiteRejectsWholeBatchesAndRecoversByItself(t *testing.T) {
	t.Parallel()
	s := must(store.Open(t.Context(), store.Config{DataDir: t.TempDir()}))(t)
	defer func() { _ = s.Close() }()
	acceptAll(t, s, batch(1)...)
	store.Exec(t, s, `PRAGMA max_page_count = 100`)
	fullAndFree(t, s, func() { store.Exec(t, s, `PRAGMA max_page_count = 4294967294`) })
}

func TestFullPostgresRejectsWholeBatchesAndRecoversByItself(t *testing.T) {
	t.Parallel()
	s := must(store.Open(t.Context(), store.Config{URL: sqltest.URL(t)}))(t)
	defer func() { _ = s.Close() }()
	acceptAll(t, s, batch(1)...)
	// All tests share its disk, so the error of a full disk is simulated.
	store.Exec(t, s, `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN IF NEW.title = 'notice 199' THEN RAISE EXCEPTION 'no space left' USING ERRCODE = 'disk_full'; END IF; RETURN NEW; END $$`)
	store.Exec(t, s, `CREATE TRIGGER full_disk BEFORE INSERT ON notices FOR EACH ROW EXECUTE FUNCTION full_disk()`)
	fullAndFree(t, s, func() { store.Exec(t, s, `DROP TRIGGER full_disk ON notices`) })
}

// TestDiskFillsUpAndIsFreedAgain re-executes itself in a process whose file sizes are limited:
// writes fail in the middle of a transaction and of its commit.
func TestDiskFillsUpAndIsFreedAgain(t *testing.T) {
	const marker = "STORE_TEST_FULL_DISK"
	dir := os.Getenv(marker)
	if dir == "" {
		t.Parallel()
		for _, limit := range []string{"120000", "200000", "400000", "700000"} {
			again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1")
			again.Env = append(os.Environ(), marker+"="+t.TempDir(), marker+"_BYTES="+limit)
			if out, err := again.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
				t.Errorf("with file size limit %s: %v\n%s", limit, err, out)
			}
		}
		return
	}
	s := must(store.Open(t.Context(), store.Config{DataDir: dir}))(t)
	acceptAll(t, s, batch(1)...)
	var limit, was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	limit = was
	if _, err := fmt.Sscan(os.Getenv(marker+"_BYTES"), &limit.Cur); err != nil {
		t.Fatal(err)
	}
	set := func(to *unix.Rlimit) {
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, to); err != nil {
			t.Fatal(err)
		}
	}
	set(&limit)
	fullAndFree(t, s, func() { set(&was) })
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	s = must(store.Open(t.Context(), store.Config{DataDir: dir}))(t)
	defer func() { _ = s.Close() }()
	if got := count(t, s); got != 201 {
		t.Errorf("%d notices after a restart; want 201", got)
	}
}

// TestRetriesThroughAnOutageAreStoredOnce stops PostgreSQL repeatedly while senders repeat each
// request, at one instance and the other, until it is accepted.
func TestRetriesThroughAnOutageAreStoredOnce(t *testing.T) {
	t.Parallel()
	url := sqltest.OwnURL(t)
	var stores [2]*store.Store
	for i := range stores {
		stores[i] = must(store.Open(t.Context(), store.Config{URL: url}))(t)
		defer func() { _ = stores[i].Close() }()
	}
	var accepted, refused atomic.Int64
	var over atomic.Bool
	// send repeats a request until it is accepted.
	send := func(key string, first int) {
		for try := first; ; try++ {
			a := request("o", key, "1")
			err := errors.Join(stores[try%2].AcceptAll(t.Context(), notifier.Deed{}, []*notifier.Acceptance{a}), a.Err)
			switch {
			case err == nil:
				accepted.Add(1)
				return
			case !errors.Is(err, notifier.ErrUnavailable):
				t.Errorf("request %s: %v; want ErrUnavailable", key, err)
				over.Store(true)
				return
			}
			refused.Add(1)
		}
	}
	var wg sync.WaitGroup
	defer wg.Wait() // even if the test has failed
	defer over.Store(true)
	for sender := range 8 {
		wg.Go(func() {
			for i := 0; !over.Load(); i++ {
				send(fmt.Sprint(sender, "/", i), sender)
			}
		})
	}
	for round := range int64(5) {
		testkit.Eventually(t, "a hundred more are accepted", func() bool { return accepted.Load() > 100*round })
		sqltest.Cut(t, url)
		seen := refused.Load()
		testkit.Eventually(t, "one more is refused", func() bool { return refused.Load() > seen })
		sqltest.Mend(t, url)
	}
	testkit.Eventually(t, "500 are accepted", func() bool { return accepted.Load() > 500 })
	over.Store(true)
	wg.Wait()
	if got := count(t, stores[0]); int64(got) != accepted.Load() {
		t.Errorf("%d notices are stored; %d requests were accepted", got, accepted.Load())
	}
}

func TestRetryAfterALostReplyIsReplayed(t *testing.T) {
	t.Parallel()
	own := sqltest.OwnURL(t)
	u := must(url.Parse(own))(t)
	network := faulty.Listen(t, "unix", filepath.Join(u.Query().Get("host"), ".s.PGSQL.5432"))
	near := must(store.Open(t.Context(), store.Config{URL: own}))(t)
	defer func() { _ = near.Close() }()
	far := must(store.Open(t.Context(), store.Config{URL: "postgres://" + u.User.Username() + "@" + network.Addr() + u.Path + "?sslmode=disable"}))(t)
	defer func() { _ = far.Close() }()
	acceptAll(t, far, request("o", "before", "1"))
	// The commit of an acceptance waits at the server for the owner of the lock, and its reply for the network.
	for _, statement := range []string{
		`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NULL; END $$`,
		`CREATE CONSTRAINT TRIGGER hold AFTER INSERT ON notices DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hold()`,
	} {
		store.Exec(t, near, statement)
	}
	holder := must(sql.Open("pgx", own))(t)
	defer func() { _ = holder.Close() }()
	held := must(holder.BeginTx(t.Context(), nil))(t)
	must(held.ExecContext(t.Context(), `SELECT pg_advisory_xact_lock(7)`))(t)
	lost := make(chan error)
	go func() {
		lost <- far.AcceptAll(t.Context(), notifier.Deed{}, []*notifier.Acceptance{request("o", "k", "1")})
	}()
	testkit.Eventually(t, "the commit waits", func() bool {
		var waiting int
		if err := holder.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 7 AND NOT granted`).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		return waiting == 1
	})
	network.Hole(true)
	if err := held.Rollback(); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "both are stored", func() bool { return count(t, near) == 2 })
	network.Cut()
	wantIs(t, <-lost, notifier.ErrUnavailable)
	network.Hole(false)
	again := request("o", "k", "1")
	acceptAll(t, far, again)
	if got := count(t, near); !again.Replayed || got != 2 {
		t.Errorf("retry: replayed %v, %d notices stored; want the notice from before the cut, and 2", again.Replayed, got)
	}
}
