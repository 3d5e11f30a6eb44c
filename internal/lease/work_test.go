package lease

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// site is work that records what it does. It is also its lease, which the test assigns to this instance or to
// another.
type site struct {
	Work
	wake chan struct{} // made in the bubble
	log  strings.Builder

	mu     sync.Mutex
	others bool  // another instance holds the lease
	away   error // the lease cannot be read
	fails  error
	did    []string
}

func (s *site) Hold(context.Context) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.others, s.away
}

func (s *site) Release(ctx context.Context) error {
	s.does("release")
	return ctx.Err()
}

func (s *site) does(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.did = append(s.did, what)
}

func (s *site) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func newSite() *site {
	s := &site{}
	s.Work = Work{
		Stage: "x", Lease: s, Every: time.Second,
		Do: func(context.Context) error {
			s.does("do")
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.fails
		},
		Rest: func() { s.does("rest") },
		Last: func(ctx context.Context) error { s.does("last"); return ctx.Err() },
		Log: slog.New(slog.NewTextHandler(&s.log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}})),
	}
	return s
}

// pass lets some time pass, to just after what falls due then, and returns what was done.
func (s *site) pass(d time.Duration) string {
	time.Sleep(d) //nolint:forbidigo // inside synctest this advances a fake clock and needs no real time
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	did := strings.Join(s.did, " ")
	s.did = nil
	return did
}

// run runs the work in a bubble and calls test. It returns what was done at the end.
func (s *site) run(t *testing.T, test func(t *testing.T)) (end []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s.wake = make(chan struct{}, 1)
		s.Wake = s.wake
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- s.Run(ctx) }()
		test(t)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s.did
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func TestWorkIsDoneAtOnceAtEachIntervalAndOnceMoreAtTheEnd(t *testing.T) {
	t.Parallel()
	s := newSite()
	end := s.run(t, func(t *testing.T) {
		want(t, "at once", s.pass(0), "do")
		want(t, "two seconds later", s.pass(2*time.Second), "do do")
	})
	if !slices.Equal(end, []string{"last", "release"}) {
		t.Errorf("at the end: %v", end)
	}
	want(t, "logged", s.log.String(), "")
}

func TestOnlyTheHolderOfTheLeaseWorks(t *testing.T) {
	t.Parallel()
	s := newSite()
	s.others = true
	s.run(t, func(t *testing.T) {
		want(t, "while another instance holds it", s.pass(time.Second), "rest rest")
		s.set(func() { s.others = false })
		want(t, "with the lease", s.pass(time.Second), "do")
		s.set(func() { s.away = errors.New("no redis") })
		want(t, "when Redis cannot be asked", s.pass(time.Second), "rest")
	})
}

func TestFailingWorkIsLoggedOnceAndItsRecoveryToo(t *testing.T) {
	t.Parallel()
	s := newSite()
	s.fails = errors.New("no sql")
	s.run(t, func(*testing.T) {
		s.pass(3 * time.Second)
		s.set(func() { s.fails = nil })
		s.pass(3 * time.Second)
	})
	want(t, "logged", s.log.String(), `level=WARN msg="background work failing; retrying" stage=x err="no sql"
level=INFO msg="background work recovered" stage=x
`)
}

func TestAWakeStartsARoundUnlessTheLastOneFailed(t *testing.T) {
	t.Parallel()
	s := newSite()
	s.run(t, func(t *testing.T) {
		s.wake <- struct{}{}
		want(t, "woken", s.pass(time.Millisecond), "do do")
		s.set(func() { s.fails = errors.New("no sql") })
		s.wake <- struct{}{}
		s.pass(time.Millisecond)
		s.wake <- struct{}{}
		want(t, "woken after a failure", s.pass(time.Millisecond), "")
		s.set(func() { s.fails = nil })
		want(t, "at the next interval", s.pass(time.Second), "do do")
	})
}
