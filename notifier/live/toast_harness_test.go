package live

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/toast"
)

// watched wraps the toasts of an instance and counts its hub's calls.
type watched struct {
	*toast.Toasts
	mu           sync.Mutex
	asks         int              // calls of Waiting
	takes        int              // calls of Take, per user
	nudges       int              // calls of Nudge, per user
	last         []notifier.Taken // result of the last Take
	took, nudged time.Time
	failing      int   // number of calls that must fail
	raised       []int // users per call of RaiseAll
}

var errAway = fmt.Errorf("redis is away: %w", notifier.ErrUnavailable)

func (s *watched) fails() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failing == 0 {
		return nil
	}
	s.failing--
	return errAway
}

func (s *watched) Waiting(ctx context.Context, seqs []int64) ([]bool, error) {
	defer func() {
		s.mu.Lock()
		s.asks++
		s.mu.Unlock()
	}()
	if err := s.fails(); err != nil {
		return nil, err
	}
	return s.Toasts.Waiting(ctx, seqs)
}

func (s *watched) Take(ctx context.Context, seqs []int64) ([]notifier.Taken, error) {
	if err := s.fails(); err != nil {
		return nil, err
	}
	got, err := s.Toasts.Take(ctx, seqs)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takes += len(seqs)
	s.took = time.Now()
	s.last = got
	return got, err
}

func (s *watched) Nudge(ctx context.Context, seqs []int64) error {
	s.mu.Lock()
	s.nudges += len(seqs)
	s.nudged = time.Now()
	s.mu.Unlock()
	return s.Toasts.Nudge(ctx, seqs)
}

func (s *watched) RaiseAll(ctx context.Context, all []notifier.ToastRaise) []error {
	s.mu.Lock()
	for _, r := range all {
		s.raised = append(s.raised, len(r.Seqs))
	}
	s.mu.Unlock()
	return s.Toasts.RaiseAll(ctx, all)
}

func (s *watched) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asks
}

// did returns the number of takes and of nudges.
func (s *watched) did() (takes, nudges int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.takes, s.nudges
}

// toaster is a world with toasts.
type toaster struct {
	*world
	toasts *watched
}

// newToaster starts a hub with toasts; change may adjust its configuration first.
func newToaster(t testing.TB, rdb redis.UniversalClient, k keys.Space, change func(*Config)) *toaster {
	t.Helper()
	w := &toaster{}
	w.world = newWorld(t, rdb, k, func(c *Config) {
		if change != nil {
			change(c)
		}
		w.toasts = &watched{Toasts: toast.New(rdb, k, toast.Options{Hold: c.Limits.ToastHold})}
		c.Toasts = w.toasts
	})
	return w
}

// holding sets how long toasts are held, and lets no toast wait for other instances.
func holding(d time.Duration) func(*Config) {
	return func(c *Config) {
		c.Limits.ToastHold, c.Limits.ToastWait, c.Limits.ToastAway = d, time.Millisecond, time.Millisecond
	}
}

// page connects user 7 with the browser of a session, and waits until the hub has asked for waiting toasts. say lists
// the headers to set.
func (w *toaster) page(session string, say ...string) *stream {
	w.t.Helper()
	r := request(w.t, w.srv.URL, 7)
	r.Header.Set("X-Session", session)
	for _, name := range say {
		r.Header.Set(name, "1")
	}
	before := w.toasts.asked()
	s := open(w.t, w.srv.Client(), r)
	if e := s.next(); e.name != "badge" {
		w.t.Fatalf("first event %+v", e)
	}
	if r.Header.Get("X-Toasts-Off")+r.Header.Get("X-No-Toasts") == "" {
		testkit.Eventually(w.t, "the call of Waiting", func() bool { return w.toasts.asked() > before })
	}
	return s
}

// raise raises a toast of a notice for user 7.
func (w *toaster) raise(notice int64) {
	w.raiseText(notice, fmt.Sprintf(`{"title":"Toast %d"}`, notice))
}

func (w *toaster) raiseText(notice int64, content string) {
	w.t.Helper()
	err := w.toasts.Toasts.RaiseAll(context.Background(), []notifier.ToastRaise{{NoticeID: notice, Content: []byte(content), Seqs: []int64{7}}})
	if err[0] != nil {
		w.t.Fatal(err[0])
	}
}

// signal publishes whether a page is visible in the browser of a session.
func (w *toaster) signal(session string, visible bool) {
	w.t.Helper()
	s := notifier.Signal{Kind: notifier.SignalSeen, Browser: notifier.Browser(session), On: visible, At: time.Now().UnixMilli()}
	if err := w.toasts.Signal(context.Background(), 7, s); err != nil {
		w.t.Fatal(err)
	}
}

// ack acknowledges toasts without notifying a hub.
func (w *toaster) ack(ids string) []string {
	w.t.Helper()
	list := strings.Split(ids, ",")
	if err := w.toasts.Ack(context.Background(), 7, list); err != nil {
		w.t.Fatal(err)
	}
	return list
}

// toast returns the id of the next toast, which must be of this notice.
func (s *stream) toast(notice int64) (id string) {
	s.t.Helper()
	e := s.next()
	id, rest, ok := strings.Cut(strings.TrimPrefix(e.data, `{"id":"`), `"`)
	want := fmt.Sprintf(`,"title":"Toast %d","body":"","link":"","notice":%d}`, notice, notice)
	if e.name != "toast" || !ok || rest != want {
		s.t.Fatalf("got %s %s, want the toast of notice %d", e.name, e.data, notice)
	}
	return id
}

// quiet fails the test if these streams receive anything before a change that it publishes.
func (w *toaster) quiet(ver int64, streams ...*stream) {
	w.t.Helper()
	w.change(7, ver, ver)
	for _, s := range streams {
		s.expect("badge", badge(ver, ver))
	}
}

// work returns the state of user 7's tray, if there is one.
func (w *toaster) work() (want time.Time, nudges int, busy bool) {
	s := w.hub.shard(7)
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.users[7]; u != nil && u.tray != nil {
		return u.tray.want, len(u.tray.nudges), true
	}
	return time.Time{}, 0, false
}

// settled waits until the user's tray is closed.
func (w *toaster) settled() {
	w.t.Helper()
	testkit.Eventually(w.t, "the tray closed", func() bool { _, _, busy := w.work(); return !busy })
}

func newLoneToaster(t *testing.T, change func(*Config)) *toaster {
	t.Helper()
	return newToaster(t, redistest.Client(t), redistest.Space(t), change)
}
