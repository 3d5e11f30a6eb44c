package live

import (
	"context"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
)

func TestTwoHubsOnOneRedisBothReceiveAChange(t *testing.T) {
	t.Parallel()
	rdb, k := redistest.Client(t), redistest.Space(t)
	a, b := newWorld(t, rdb, k, nil), newWorld(t, rdb, k, nil)
	one, two := a.connect(7), b.connect(7)
	one.expect("badge", badge(1, 0))
	two.expect("badge", badge(1, 0))
	a.change(7, 50, 3)
	one.expect("badge", badge(50, 3))
	two.expect("badge", badge(50, 3))
}

func TestTheHubWorksOnAClusterAndOnMiniredis(t *testing.T) {
	t.Parallel()
	_, mini := redistest.Mini(t)
	for name, rdb := range map[string]redis.UniversalClient{"cluster": redistest.Cluster(t), "miniredis": mini} {
		w := newWorld(t, rdb, redistest.Space(t), nil)
		for seq := range int64(20) {
			s := w.connect(seq + 1)
			s.expect("badge", badge(1, 0))
			w.change(seq+1, 50, 3, "read a:1")
			s.expect("read", `{"keys":["a:1"]}`)
			s.expect("badge", badge(50, 3))
		}
		if r := w.hub.Stats().Resubscriptions; r != 0 {
			t.Errorf("%s: %d resubscriptions", name, r)
		}
	}
}

func TestAUserWhoComesWhileALinkConnectsIsSubscribedOnce(t *testing.T) {
	t.Parallel()
	join := func(seq int64) op { return op{seq: seq, join: true} }
	leave := func(seq int64) op { return op{seq: seq} }
	for name, c := range map[string]struct{ users, pushed, want []op }{
		"nobody came":         {[]op{join(1)}, nil, nil},
		"came, and was found": {[]op{join(1), join(2)}, []op{join(2)}, nil},
		"came too late":       {[]op{join(1)}, []op{join(2)}, []op{join(2)}},
		"found, and left":     {[]op{join(1), join(2)}, []op{join(2), leave(2)}, []op{leave(2)}},
		"left, and came back": {[]op{join(1)}, []op{leave(1), join(1), join(3)}, []op{leave(1), join(1), join(3)}},
		"left before":         {[]op{join(1)}, []op{leave(2)}, []op{leave(2)}},
	} {
		if got := since(c.users, c.pushed); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestChannelsPerPubSubConnectionAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, redistest.Client(t), redistest.Space(t), func(c *Config) { c.Limits.Channels = 3 })
	for seq := range int64(10) {
		w.connect(seq+1).expect("badge", badge(1, 0))
	}
	if n := len(w.hub.links.all); n != 4 {
		t.Errorf("%d connections for 10 channels of at most 3", n)
	}
	s := w.connect(10)
	s.expect("badge", badge(1, 0))
	w.change(10, 50, 1)
	s.expect("badge", badge(50, 1))
}

func TestQuietSubscriptionsDoNotCountAsLost(t *testing.T) {
	t.Parallel()
	_, mini := redistest.Mini(t)
	for name, rdb := range map[string]redis.UniversalClient{"redis": redistest.Client(t), "miniredis": mini} {
		w := newWorld(t, rdb, redistest.Space(t), func(c *Config) {
			c.Limits.Ping, c.Limits.Silence = 50*time.Millisecond, 500*time.Millisecond
			c.Limits.Heartbeat = time.Second
		})
		s := w.connect(7)
		for range 2 { // two heartbeats take longer than three Silence limits
			for e := range s.events {
				if e.name == ":" {
					break
				}
			}
		}
		if r := w.hub.Stats().Resubscriptions; r != 0 {
			t.Errorf("%s: %d resubscriptions", name, r)
		}
	}
}

// All subscriptions are killed twice while changes are published. Events in the gap are lost, but every badge
// is right afterwards, even without the regular check.
func TestBadgesAreRightAfterSubscriptionsWereKilled(t *testing.T) {
	t.Parallel()
	rdb := redistest.Own(t).Client(t)
	w := newWorld(t, rdb, redistest.Space(t), func(c *Config) { c.Limits.Check = time.Hour })
	const users = 50
	streams := make([]*stream, users)
	for i := range streams {
		streams[i] = w.connect(int64(i + 1))
		streams[i].expect("badge", badge(1, 0))
	}
	for i := range int64(2000) {
		w.change(1+i%users, 100+i, i, "read a:1")
		if i%800 == 799 {
			if err := rdb.Do(context.Background(), "CLIENT", "KILL", "TYPE", "pubsub").Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, s := range streams {
		last := int64(2000 - users + i)
		s.until("badge", badge(100+last, last))
	}
	if r := w.hub.Stats().Resubscriptions; r < 1 {
		t.Errorf("%d resubscriptions", r)
	}
}

// proxy forwards connections until swallow makes it discard their data.
type proxy struct {
	net.Listener
	mu   sync.Mutex
	hole []chan struct{} // closed: this connection no longer forwards anything
	wg   sync.WaitGroup
}

func newProxy(t *testing.T, socket string) *proxy {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{Listener: l}
	ctx, cancel := context.WithCancel(context.Background())
	p.wg.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			var d net.Dialer
			out, err := d.DialContext(ctx, "unix", socket)
			if err != nil {
				_ = in.Close()
				return
			}
			context.AfterFunc(ctx, func() { _ = in.Close(); _ = out.Close() })
			hole := make(chan struct{})
			p.mu.Lock()
			p.hole = append(p.hole, hole)
			p.mu.Unlock()
			p.wg.Go(func() { pass(out, in, hole) })
			p.wg.Go(func() { pass(in, out, hole) })
		}
	})
	t.Cleanup(func() { _ = l.Close(); cancel(); p.wg.Wait() })
	return p
}

func pass(to io.WriteCloser, from io.Reader, hole chan struct{}) {
	defer func() { _ = to.Close() }()
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		select {
		case <-hole:
		default:
			_, _ = to.Write(b[:n])
		}
		if err != nil {
			return
		}
	}
}

// swallow turns the current connections into black holes.
func (p *proxy) swallow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.hole {
		close(h)
	}
	p.hole = nil
}

func TestASilentSubscriptionIsMadeAgain(t *testing.T) {
	t.Parallel()
	direct, k := redistest.Client(t), redistest.Space(t)
	p := newProxy(t, redistest.Socket(t))
	through := redis.NewClient(&redis.Options{Addr: p.Addr().String(), DisableIdentity: true})
	t.Cleanup(func() { _ = through.Close() })
	w := newWorld(t, through, k, func(c *Config) {
		c.Badges = stateBadges(direct, k)
		c.Limits.Check = time.Hour // only the new subscription may read the badge
	})
	w.rdb = direct
	s := w.connect(7)
	s.expect("badge", badge(1, 0))
	p.swallow()
	w.change(7, 50, 3)
	s.expect("badge", badge(50, 3)) // the published change itself was swallowed
	w.change(7, 60, 4, "read a:1")
	s.expect("read", `{"keys":["a:1"]}`)
}

func TestAUserWhoComesBackSoonNeedsNoReread(t *testing.T) {
	t.Parallel()
	rdb := redistest.Client(t)
	w := newWorld(t, rdb, redistest.Space(t), nil)
	s := w.connect(7)
	s.expect("badge", badge(1, 0))
	_ = s.res.Body.Close()
	testkit.Eventually(t, "the user's stream closed", func() bool { return w.hub.Stats().Streams == 0 })
	w.change(7, 50, 3)
	testkit.Eventually(t, "the change received", func() bool { return w.held(7).Ver == 50 })
	reads := w.hub.Stats().Rereads
	w.connect(7).expect("badge", badge(50, 3))
	if got := w.hub.Stats().Rereads; got != reads {
		t.Errorf("%d badges read", got-reads)
	}
}

func TestMalformedMessagesAndThoseForNoUserAreDropped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, redistest.Client(t), redistest.Space(t), nil)
	s := w.connect(7)
	s.expect("badge", badge(1, 0))
	for _, text := range []string{"", "x y", "1", "9 9\nnotice 1 a:1 <b>", "9 9\nforged a"} {
		if err := w.rdb.Publish(context.Background(), w.keys.LiveUser(7), text).Err(); err != nil {
			t.Fatal(err)
		}
	}
	w.change(7, 50, 3)
	s.expect("badge", badge(50, 3))
	if d := w.hub.Stats().Dropped; d != 5 {
		t.Errorf("%d messages dropped", d)
	}
}
