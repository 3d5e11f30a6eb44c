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
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/toast"
)

// watched is the toasts of an instance, and what its hub did with them.
type watched struct {
	*toast.Toasts
	mu           sync.Mutex
	asks         int              // calls of Waiting
	takes        int              // calls for one user each
	nudges       int              // the same
	last         []notifier.Taken // what the last call answered
	took, nudged time.Time
	failing      int   // so many calls fail
	raised       []int // users of each call
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

// did is how many takes and nudges there were.
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

// newToaster starts a hub whose toasts are held as long as it says.
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

// holding has a hub hold a toast for a time, and leave none to others.
func holding(d time.Duration) func(*Config) {
	return func(c *Config) {
		c.Limits.ToastHold, c.Limits.ToastWait, c.Limits.ToastAway = d, time.Millisecond, time.Millisecond
	}
}

// page connects user 7 from the browser of a session, and waits until it was asked what
// waits for him; say are headers that are set.
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
		w.t.Fatalf("first came %+v", e)
	}
	if r.Header.Get("X-Toasts-Off") == "" {
		eventually(w.t, "it was asked", func() bool { return w.toasts.asked() > before })
	}
	return s
}

// raise has a toast of a notice wait for user 7.
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

// signal publishes that a page can be seen in the browser of a session, or none.
func (w *toaster) signal(session string, visible bool) {
	w.t.Helper()
	s := notifier.Signal{Kind: notifier.SignalSeen, Browser: Browser(session), On: visible, At: time.Now().UnixMilli()}
	if err := w.toasts.Signal(context.Background(), 7, s); err != nil {
		w.t.Fatal(err)
	}
}

// ack acknowledges, and tells no hub.
func (w *toaster) ack(ids string) []string {
	w.t.Helper()
	list := strings.Split(ids, ",")
	if err := w.toasts.Ack(context.Background(), 7, list); err != nil {
		w.t.Fatal(err)
	}
	return list
}

// toast is the id of the toast that comes next, of a notice.
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

// quiet sees that nothing comes to these streams before a change that is published now.
func (w *toaster) quiet(ver int64, streams ...*stream) {
	w.t.Helper()
	w.change(7, ver, ver)
	for _, s := range streams {
		s.expect("badge", badge(ver, ver))
	}
}

// work is what the courier has to do for user 7, if anything.
func (w *toaster) work() (want time.Time, nudges int, busy bool) {
	s := w.hub.shard(7)
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.users[7]; u != nil && u.tray != nil {
		return u.tray.want, len(u.tray.nudges), true
	}
	return time.Time{}, 0, false
}

// settled waits until a hub has nothing to look after.
func (w *toaster) settled() {
	w.t.Helper()
	eventually(w.t, "nothing is left to do for the user", func() bool { _, _, busy := w.work(); return !busy })
}

func newLoneToaster(t *testing.T, change func(*Config)) *toaster {
	t.Helper()
	return newToaster(t, redistest.Client(t), redistest.Space(t), change)
}
