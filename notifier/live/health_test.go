package live

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

const (
	reconnecting = `{"state":"reconnecting"}`
	isLive       = `{"state":"live"}`
)

// quick sets a tick of 20 ms and a grace of 100 ms.
func quick(c *Config) {
	c.Limits.Heartbeat, c.Limits.Grace = 400*time.Millisecond, 100*time.Millisecond
}

func TestStreamsStayOpenWhileRedisIsAwayAndAreRightAfterwards(t *testing.T) {
	t.Parallel()
	own := redistest.Own(t)
	w := newWorld(t, own.Client(t), redistest.Space(t), func(c *Config) {
		quick(c)
		c.Limits.Check = time.Hour // only the return of Redis may cause a read
	})
	kept, other := w.connect(7), w.connect(8)
	kept.expect("badge", badge(1, 0))
	other.expect("badge", badge(1, 0))
	w.change(7, 50, 3)
	kept.expect("badge", badge(50, 3))
	file := own.Save(t)
	own.Crash(t)
	kept.expect("connection", reconnecting)
	other.expect("connection", reconnecting)
	// Users who connect meanwhile get no badge, even if one is cached: it may be out of date.
	again, late := w.connect(7), w.connect(9)
	again.expect("connection", reconnecting)
	late.expect("connection", reconnecting)
	own.RestartFrom(t, file)
	for s, want := range map[*stream]string{kept: badge(50, 3), other: badge(1, 0), again: badge(50, 3), late: badge(1, 0)} {
		s.expect("connection", isLive)
		s.expect("badge", want)
	}
	if w.hub.outage.lasts(time.Now(), 0) {
		t.Error("the outage has not ended")
	}
	w.change(9, 60, 2, "read a:1")
	late.expect("read", `{"keys":["a:1"]}`)
	late.expect("badge", badge(60, 2))
	if n := w.hub.Stats().Streams; n != 4 {
		t.Errorf("%d of 4 streams left", n)
	}
}

func TestOverlappingFaultsAreOneOutage(t *testing.T) {
	t.Parallel()
	var o outage
	start := time.Unix(1_800_000_000, 0)
	after := func(d time.Duration, set func()) { o.change(start.Add(d), set) }
	after(0, func() { o.unread = true })
	after(time.Second, func() { o.shut = true })
	after(2*time.Second, func() { o.unread = false })
	for d, want := range map[time.Duration]bool{0: false, 3*time.Second - 1: false, 3 * time.Second: true} {
		if got := o.lasts(start.Add(d), 3*time.Second); got != want {
			t.Errorf("lasts after %s: %t", d, got)
		}
	}
	after(4*time.Second, func() { o.shut = false })
	if o.lasts(start.Add(time.Hour), 0) {
		t.Error("the outage never ends")
	}
	after(5*time.Second, func() { o.shut = true })
	if o.lasts(start.Add(6*time.Second), 2*time.Second) {
		t.Error("a new outage counts from the start of the previous one")
	}
}

func TestAShortLossIsNotReported(t *testing.T) {
	t.Parallel()
	rdb := redistest.Own(t).Client(t)
	w := newWorld(t, rdb, redistest.Space(t), func(c *Config) { quick(c); c.Limits.Grace = limit })
	s := w.connect(7)
	s.expect("badge", badge(1, 0))
	for round := range int64(3) {
		if err := rdb.Do(context.Background(), "CLIENT", "KILL", "TYPE", "pubsub").Err(); err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, "the subscription made again", func() bool { return w.hub.Stats().Resubscriptions > round && w.fresh(7) })
		w.change(7, 50+round, round+1)
		s.until("badge", badge(50+round, round+1))
	}
	w.stop()
	for _, e := range s.end() {
		if e.name == "connection" {
			t.Errorf("the stream received %+v", e)
		}
	}
}

// fresh reports whether the cached badge of a user is marked as up to date.
func (w *world) fresh(seq int64) bool {
	s := w.hub.shard(seq)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.users[seq] != nil && s.users[seq].fresh
}

// gate is a Health that a test opens and closes.
type gate struct {
	mu      sync.Mutex
	shut    bool
	changed chan struct{}
}

func newGate(shut bool) *gate { return &gate{shut: shut, changed: make(chan struct{})} }

func (g *gate) Open() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.shut
}

func (g *gate) Changed() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.changed
}

func (g *gate) set(shut bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = shut
	close(g.changed)
	g.changed = make(chan struct{})
}

// gated returns a hub behind a gate: badges cannot be read while it is closed.
func gated(t *testing.T, shut bool) (*world, *gate) {
	t.Helper()
	g := newGate(shut)
	rdb, k := redistest.Client(t), redistest.Space(t)
	read := stateBadges(rdb, k)
	return newWorld(t, rdb, k, func(c *Config) {
		quick(c)
		c.Health, c.Limits.Check = g, time.Hour
		c.Badges = badgeFunc(func(ctx context.Context, readers []notifier.Reader) ([]notifier.Badge, error) {
			if !g.Open() {
				return nil, notifier.ErrUnavailable
			}
			return read(ctx, readers)
		})
	}), g
}

func TestEveryBadgeIsReadAgainWhenRedisIsUsableAgain(t *testing.T) {
	t.Parallel()
	w, g := gated(t, false)
	streams := map[int64]*stream{}
	for seq := int64(1); seq <= 20; seq++ {
		streams[seq] = w.connect(seq)
		streams[seq].expect("badge", badge(1, 0))
		w.change(seq, 900, 5)
		streams[seq].expect("badge", badge(900, 5))
	}
	g.set(true) // FLUSHALL: the subscription survives
	for seq, s := range streams {
		s.expect("connection", reconnecting)
		w.state(seq, 30+seq, seq)
	}
	g.set(false)
	for seq, s := range streams {
		s.expect("connection", isLive)
		s.expect("badge", badge(900, seq)) // browsers have version 900 and would ignore an older one
	}
}

func TestStreamsOpenAtOnceWhenRedisWasNeverUsable(t *testing.T) {
	t.Parallel()
	w, g := gated(t, true)
	s := w.connect(7)
	s.expect("connection", reconnecting) // although Redis stays closed until after this
	w.state(7, 50, 3)
	g.set(false)
	s.expect("connection", isLive)
	s.expect("badge", badge(50, 3))
}

func TestUnreadableBadgesAreAnOutageForNewStreams(t *testing.T) {
	t.Parallel()
	var away atomic.Bool
	rdb, k := redistest.Client(t), redistest.Space(t)
	read := stateBadges(rdb, k)
	w := newWorld(t, rdb, k, func(c *Config) {
		quick(c)
		c.Badges = badgeFunc(func(ctx context.Context, readers []notifier.Reader) ([]notifier.Badge, error) {
			if away.Load() {
				return nil, errors.New("sql is away")
			}
			return read(ctx, readers)
		})
	})
	kept := w.connect(7)
	kept.expect("badge", badge(1, 0))
	away.Store(true)
	late := w.connect(8)
	late.expect("connection", reconnecting)
	w.change(7, 50, 3) // a user whose badge was read still receives changes
	kept.expect("badge", badge(50, 3))
	away.Store(false)
	late.expect("connection", isLive)
	late.expect("badge", badge(1, 0))
}

// TestAnOutageOfOneLinkIsReportedToItsUsersOnly uses two Pub/Sub connections, one of which cannot be
// re-established.
func TestAnOutageOfOneLinkIsReportedToItsUsersOnly(t *testing.T) {
	t.Parallel()
	direct, k := redistest.Client(t), redistest.Space(t)
	p := newProxy(t, redistest.Socket(t))
	through := redis.NewClient(&redis.Options{Addr: p.Addr().String(), DisableIdentity: true})
	t.Cleanup(func() { _ = through.Close() })
	w := newWorld(t, through, k, func(c *Config) {
		quick(c)
		c.Badges, c.Limits.Channels = stateBadges(direct, k), 1
		c.Limits.Ping, c.Limits.Silence = 50*time.Millisecond, 2*time.Second
	})
	w.rdb = direct
	one := w.connect(1)
	one.expect("badge", badge(1, 0))
	p.mu.Lock()
	of1 := p.hole
	p.hole = nil
	p.mu.Unlock()
	two := w.connect(2) // over a separate connection, which survives
	two.expect("badge", badge(1, 0))
	_ = p.Close() // connections lost from now on cannot be re-established
	for _, hole := range of1 {
		close(hole)
	}
	one.expect("connection", reconnecting)
	w.change(2, 50, 1)
	two.expect("badge", badge(50, 1))
}
