package store_test

import (
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
	"time"

	"golang.org/x/sys/unix"

	"github.com/carillonhq/carillon/internal/faulty"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// large is a batch of some 800 KB with keys.
func large() []*notifier.Acceptance {
	all := batch(200)
	for i, a := range all {
		a.Notice.Body = strings.Repeat("x", 4000)
		a.Once = &notifier.Once{Owner: "o", Key: strconv.Itoa(i)}
	}
	return all
}

// fullAndFree holds a store to what it promises while there is no room for large,
// and after there is again.
func fullAndFree(t *testing.T, s *store.Store, free func()) {
	t.Helper()
	before := count(t, s)
	for range 3 {
		all := large()
		wantIs(t, s.AcceptAll(t.Context(), all), notifier.ErrUnavailable)
		for i, a := range all {
			if a.Notice.ID != 0 || a.Replayed || a.Err != nil {
				t.Fatalf("notice %d of a batch that was not stored: id %d, replayed %v, %v", i, a.Notice.ID, a.Replayed, a.Err)
			}
		}
		if got := count(t, s); got != before {
			t.Fatalf("%d notices are there when the disk is full; want %d", got, before)
		}
	}
	free()
	all := large()
	acceptAll(t, s, all...)
	for i, a := range all {
		if a.Replayed {
			t.Fatalf("request %d counts as accepted: its key was kept without its notice", i)
		}
	}
	if got := count(t, s); got != before+len(all) {
		t.Errorf("%d notices are there; want %d", got, before+len(all))
	}
}

func TestAFullSQLiteRefusesWholeBatchesAndRecoversAlone(t *testing.T) {
	t.Parallel()
	s := must(store.Open(t.Context(), store.Config{DataDir: t.TempDir()}))(t)
	defer func() { _ = s.Close() }()
	acceptAll(t, s, batch(1)...)
	store.Exec(t, s, `PRAGMA max_page_count = 100`)
	fullAndFree(t, s, func() { store.Exec(t, s, `PRAGMA max_page_count = 4294967294`) })
}

func TestAFullPostgresRefusesWholeBatchesAndRecoversAlone(t *testing.T) {
	t.Parallel()
	s := must(store.Open(t.Context(), store.Config{URL: sqltest.URL(t)}))(t)
	defer func() { _ = s.Close() }()
	acceptAll(t, s, batch(1)...)
	// Its disk is that of all tests, so it says what it says when that is full.
	store.Exec(t, s, `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN IF NEW.title = 'notice 199' THEN RAISE EXCEPTION 'no space left' USING ERRCODE = 'disk_full'; END IF; RETURN NEW; END $$`)
	store.Exec(t, s, `CREATE TRIGGER full_disk BEFORE INSERT ON notices FOR EACH ROW EXECUTE FUNCTION full_disk()`)
	fullAndFree(t, s, func() { store.Exec(t, s, `DROP TRIGGER full_disk ON notices`) })
}

// TestADiskThatFillsUpAndIsFreedAgain runs itself in a process whose files may
// not grow: writes fail in the middle of a transaction and of its commit.
func TestADiskThatFillsUpAndIsFreedAgain(t *testing.T) {
	const marker = "STORE_TEST_FULL_DISK"
	dir := os.Getenv(marker)
	if dir == "" {
		t.Parallel()
		for _, limit := range []string{"120000", "200000", "400000", "700000"} {
			again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1")
			again.Env = append(os.Environ(), marker+"="+t.TempDir(), marker+"_BYTES="+limit)
			if out, err := again.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
				t.Errorf("with files of up to %s bytes: %v\n%s", limit, err, out)
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
		t.Errorf("after a new start there are %d notices; want 201", got)
	}
}

// TestWhoRepeatsThroughAnOutageIsStoredOnce takes PostgreSQL away again and again
// while senders repeat each request, at one instance and the other, until they
// are told that it was accepted.
func TestWhoRepeatsThroughAnOutageIsStoredOnce(t *testing.T) {
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
			err := errors.Join(stores[try%2].AcceptAll(t.Context(), []*notifier.Acceptance{a}), a.Err)
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
	defer wg.Wait() // also when the test has failed
	defer over.Store(true)
	for sender := range 8 {
		wg.Go(func() {
			for i := 0; !over.Load(); i++ {
				send(fmt.Sprint(sender, "/", i), sender)
			}
		})
	}
	for round := range int64(5) {
		await(t, func() bool { return accepted.Load() > 100*round })
		sqltest.Cut(t, url)
		seen := refused.Load()
		await(t, func() bool { return refused.Load() > seen })
		sqltest.Mend(t, url)
	}
	await(t, func() bool { return accepted.Load() > 500 })
	over.Store(true)
	wg.Wait()
	if got := count(t, stores[0]); int64(got) != accepted.Load() {
		t.Errorf("%d notices are stored; %d senders were told so", got, accepted.Load())
	}
}

func TestARequestWhoseAnswerWasLostIsAnsweredWhenItIsRepeated(t *testing.T) {
	t.Parallel()
	own := sqltest.OwnURL(t)
	u := must(url.Parse(own))(t)
	network := faulty.Listen(t, "unix", filepath.Join(u.Query().Get("host"), ".s.PGSQL.5432"))
	near := must(store.Open(t.Context(), store.Config{URL: own}))(t)
	defer func() { _ = near.Close() }()
	far := must(store.Open(t.Context(), store.Config{URL: "postgres://" + u.User.Username() + "@" + network.Addr() + u.Path + "?sslmode=disable"}))(t)
	defer func() { _ = far.Close() }()
	acceptAll(t, far, request("o", "before", "1"))
	network.Delay(time.Second) // an answer that is on its way stays there
	lost := make(chan error)
	go func() { lost <- far.AcceptAll(t.Context(), []*notifier.Acceptance{request("o", "k", "1")}) }()
	await(t, func() bool { return count(t, near) == 2 })
	network.Cut()
	wantIs(t, <-lost, notifier.ErrUnavailable)
	network.Delay(0)
	again := request("o", "k", "1")
	acceptAll(t, far, again)
	if got := count(t, near); !again.Replayed || got != 2 {
		t.Errorf("repeated: replayed %v, and %d notices are there; want the one from before the cut, and 2", again.Replayed, got)
	}
}

// await waits until it is so.
func await(t *testing.T, so func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(20 * time.Second); !so(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatal("it did not come within 20 s")
		}
	}
}
