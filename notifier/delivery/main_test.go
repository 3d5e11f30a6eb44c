package delivery_test

import (
	"context"
	"flag"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/delivery"
	"github.com/carillonhq/carillon/notifier/keys"
)

// The pool of a closed client looks for a lost server for up to another second.
func TestMain(m *testing.M) {
	// Each check takes some 100 ms. Use -rapid.checks=1000 for more.
	if err := flag.Set("rapid.checks", "40"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(redistest.Wrap(m), goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"))
}

// tb is a test, a benchmark or a run of a property.
type tb interface {
	rapid.TB
	Context() context.Context
	Cleanup(f func())
}

// handler is a Handler made of functions. A nil function does nothing and succeeds.
type handler struct {
	deliver func(ctx context.Context, entries []delivery.Entry) []error
	confirm func(ctx context.Context, entries []delivery.Entry) error
	ranging func(ctx context.Context, e delivery.Entry) ([]delivery.Entry, error)
	bury    func(ctx context.Context, e delivery.Entry, raw map[string]any, why error) error
}

func (h handler) Deliver(ctx context.Context, entries []delivery.Entry) []error {
	if h.deliver == nil {
		return nil
	}
	return h.deliver(ctx, entries)
}

func (h handler) Confirm(ctx context.Context, entries []delivery.Entry) error {
	if h.confirm == nil {
		return nil
	}
	return h.confirm(ctx, entries)
}

func (h handler) Range(ctx context.Context, e delivery.Entry) ([]delivery.Entry, error) {
	if h.ranging == nil {
		return nil, nil
	}
	return h.ranging(ctx, e)
}

func (h handler) Bury(ctx context.Context, e delivery.Entry, raw map[string]any, why error) error {
	if h.bury == nil {
		return nil
	}
	return h.bury(ctx, e, raw, why)
}

// site is one stream on one kind of Redis.
type site struct {
	rdb redis.UniversalClient
	k   keys.Space
}

func newSite(t testing.TB, rdb redis.UniversalClient) *site {
	t.Helper()
	return &site{rdb, redistest.Space(t)}
}

// onEachRedis runs a test on a strict server and on miniredis.
func onEachRedis(t *testing.T, promise func(t *testing.T, s *site)) {
	t.Helper()
	redistest.OnEach(t, func(t *testing.T, rdb redis.UniversalClient) { t.Helper(); promise(t, newSite(t, rdb)) })
}

// intake returns an intake with short times.
func (s *site) intake(h delivery.Handler, change ...func(*delivery.IntakeConfig)) *delivery.Intake {
	c := delivery.IntakeConfig{
		Redis: s.rdb, Keys: s.k, Handler: h, Idle: 50 * time.Millisecond, Every: 5 * time.Millisecond,
		Log: slog.New(slog.DiscardHandler),
	}
	for _, f := range change {
		f(&c)
	}
	return delivery.NewIntake(c)
}

// start runs q until stop is called or the test ends.
func start(t tb, q *delivery.Intake) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- q.Run(ctx) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("Run: %v", err)
			}
		})
	}
	t.Cleanup(stop)
	return stop
}

func (s *site) put(t tb, entries ...delivery.Entry) {
	t.Helper()
	if err := s.intake(handler{}).Put(t.Context(), entries...); err != nil {
		t.Fatal(err)
	}
}

// small returns a complete notice to one user.
func small(id int64) delivery.Entry {
	return delivery.Entry{Kind: delivery.Whole, NoticeID: id, Revision: 1, Delivery: &notifier.Delivery{
		NoticeID: id, Revision: 1, Key: "like:photo:1", Expires: 1_800_000_000_000, Content: []byte(`{"title":"A line\n\u2028"}`), Seqs: []int64{42},
	}}
}

// length returns how many entries the stream has, finished or not.
func (s *site) length(t tb) int64 {
	t.Helper()
	n, err := s.rdb.XLen(t.Context(), s.k.Intake()).Result()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// log records the handlers' work in order.
type log struct {
	mu   sync.Mutex
	seen []delivery.Entry
}

func (l *log) add(entries ...delivery.Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = append(l.seen, entries...)
}

func (l *log) all() []delivery.Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]delivery.Entry(nil), l.seen...)
}

func (l *log) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.seen)
}

// times counts how often each notice was handled.
func (l *log) times() map[int64]int {
	n := map[int64]int{}
	for _, e := range l.all() {
		n[e.NoticeID]++
	}
	return n
}
