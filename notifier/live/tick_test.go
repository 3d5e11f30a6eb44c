package live

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

// clock is a clock that a test advances.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time          { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clock) advance(d time.Duration) { c.ahead.Add(int64(d)) }

func TestAStreamLivesTenToFifteenMinutesOrAsLongAsItMay(t *testing.T) {
	t.Parallel()
	var c clock
	w := newWorld(t, redistest.Client(t), redistest.Space(t), func(cfg *Config) {
		cfg.Now = c.now
		cfg.Limits.Heartbeat = 100 * time.Millisecond
	})
	streams := make([]*stream, 20)
	for i := range streams {
		streams[i] = w.connect(int64(i + 1))
	}
	r := request(t, w.srv.URL, 99)
	r.Header.Set("X-Until", strconv.FormatInt(time.Now().Add(5*time.Minute).UnixMilli(), 10))
	short := open(t, w.srv.Client(), r)
	c.advance(5 * time.Minute)
	short.expect("badge", badge(1, 0))
	short.endsWithBye()
	c.advance(4 * time.Minute) // with a minute of real time to spare
	for _, s := range streams {
		s.expect("badge", badge(1, 0))
		for e := range s.events { // two rounds of the ticker later all are still open
			if e.name == ":" {
				break
			}
		}
	}
	c.advance(6*time.Minute + 10*time.Second)
	for _, s := range streams {
		if e := s.next(); e.name != "bye" || e.data != `{"retry":`+e.retry+`}` {
			t.Fatalf("unexpected end: %+v", e)
		}
		if rest := s.end(); len(rest) != 0 {
			t.Fatalf("events after bye: %+v", rest)
		}
	}
	testkit.Eventually(t, "all slots free", func() bool { return w.hub.Stats().Streams == 0 })
}

func TestHeartbeatsKeepTheirInterval(t *testing.T) {
	t.Parallel()
	w := newWorld(t, redistest.Client(t), redistest.Space(t), func(c *Config) { c.Limits.Heartbeat = 200 * time.Millisecond })
	began, n := time.Now(), 0 // before the first could be sent, so that reading late can only lengthen the measured time
	s := w.connect(7)
	s.expect("badge", badge(1, 0))
	for e := range s.events {
		if e.name == ":" {
			n++
		}
		if n == 6 {
			break
		}
	}
	// Two are 15 to 25 ticks apart: six take at least 0.75 s.
	if d := time.Since(began); d < 700*time.Millisecond {
		t.Errorf("six heartbeats in %s", d)
	}
}

func TestAStreamEndsWithItsSession(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	ended, broken, asked := map[string]bool{}, false, 0
	w := newWorld(t, redistest.Client(t), redistest.Space(t), func(c *Config) {
		c.Limits.Check = 100 * time.Millisecond
		c.Sessions = aliveFunc(func(_ context.Context, ids []string) (map[string]notifier.Audience, error) {
			mu.Lock()
			defer mu.Unlock()
			asked++
			if broken {
				return nil, errors.New("SQL is away")
			}
			out := map[string]notifier.Audience{}
			for _, id := range ids {
				if !ended[id] {
					out[id] = 1
				}
			}
			return out, nil
		})
	})
	as := func(seq int64, session string) *stream {
		r := request(t, w.srv.URL, seq)
		r.Header.Set("X-Session", session)
		s := open(t, w.srv.Client(), r)
		s.expect("badge", badge(1, 0))
		return s
	}
	set := func(f func()) { mu.Lock(); defer mu.Unlock(); f() }
	rounds := func() {
		t.Helper()
		var from int
		set(func() { from = asked })
		testkit.Eventually(t, "more session checks", func() bool { mu.Lock(); defer mu.Unlock(); return asked > from+4 })
	}
	one, same, other, none := as(7, "s1"), as(7, "s1"), as(7, "s2"), as(8, "")
	set(func() { broken = true; ended["s1"] = true })
	rounds()
	if n := w.hub.Stats().Streams; n != 4 {
		t.Fatalf("%d streams left after failed checks", n)
	}
	set(func() { broken = false })
	for _, s := range []*stream{one, same} {
		if rest := s.end(); len(rest) != 1 || rest[0].name != "bye" {
			t.Errorf("%+v", rest)
		}
	}
	rounds()
	w.change(7, 50, 1)
	other.expect("badge", badge(50, 1))
	w.change(8, 50, 1)
	none.expect("badge", badge(50, 1))
}

func TestTheRegularCheckCorrectsUnpublishedChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, redistest.Client(t), redistest.Space(t), func(c *Config) { c.Limits.Check = 100 * time.Millisecond })
	s := w.connect(7)
	s.expect("badge", badge(1, 0))
	w.state(7, 90, 9) // without a message
	s.expect("badge", badge(90, 9))
	w.state(7, 30, 2) // Redis came back with an older state
	s.expect("badge", badge(90, 2))
	w.change(7, 95, 3) // later changes are newer all the same
	s.expect("badge", badge(95, 3))
}

func TestAFailedBadgeReadIsRetried(t *testing.T) {
	t.Parallel()
	var fails atomic.Int64
	rdb, k := redistest.Client(t), redistest.Space(t)
	read := stateBadges(rdb, k)
	w := newWorld(t, rdb, k, func(c *Config) {
		c.Badges = badgeFunc(func(ctx context.Context, readers []notifier.Reader) (b []notifier.Badge, err error) {
			if fails.Add(1) <= 2 {
				return nil, errors.New("away")
			}
			return read(ctx, readers)
		})
	})
	w.connect(7).expect("badge", badge(1, 0))
	if fails.Load() < 3 {
		t.Errorf("%d reads", fails.Load())
	}
}

func TestWheelReturnsItemsAtTheirTick(t *testing.T) {
	t.Parallel()
	var w wheel[int]
	for _, in := range []int{0, 1, 5, 63, 64, 1000} {
		w.add(in, in)
	}
	at := map[int]int{}
	for tick := 1; tick <= 2*wheelSlots; tick++ {
		for _, v := range w.next() {
			at[v] = tick
		}
	}
	for v, want := range map[int]int{0: 1, 1: 1, 5: 5, 63: 63, 64: 63, 1000: 63} {
		if at[v] != want {
			t.Errorf("item %d came at tick %d, want %d", v, at[v], want)
		}
	}
}
