package live

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

// ann returns the data of a badge event of a user with an empty inbox of version 1.
func ann(aver, unread int64) string {
	return fmt.Sprintf(`{"unread":%d,"inbox":0,"announcements":%d,"ver":1,"aver":%d}`, unread, unread, aver)
}

// connectAs connects a user of an audience.
func (w *world) connectAs(seq int64, a notifier.Audience) *stream {
	w.t.Helper()
	r := request(w.t, w.srv.URL, seq)
	r.Header.Set("X-Audience", strconv.Itoa(int(a)))
	return open(w.t, w.srv.Client(), r)
}

// newAnnouncementWorld starts a hub on a board where every user has version 100 and nothing unread.
func newAnnouncementWorld(t testing.TB, change func(*Config)) (*world, *board) {
	t.Helper()
	b := &board{start: half{aver: 100}}
	return newWorld(t, redistest.Client(t), redistest.Space(t), func(c *Config) {
		c.Badges, c.Limits.Check = b, time.Hour // no regular check interferes with the test
		if change != nil {
			change(c)
		}
	}), b
}

const (
	openNine = `open 9 0 {"title":"Hi","body":"b","link":"","pinned":true}`
	nine     = `{"id":9,"title":"Hi","body":"b","link":"","pinned":true}`
)

func TestTheEventOfAnAnnouncementHasTheAppAsRowsShowIt(t *testing.T) {
	t.Parallel()
	w, _ := newAnnouncementWorld(t, func(c *Config) {
		c.App = func(name string) notifier.RowApp { return notifier.RowApp{Name: name, Title: "The " + name} }
	})
	s := w.connectAs(1, 1)
	s.next()
	w.publishTurn(1, 200, 100, `open 9 0 {"title":"Hi","body":"b","link":"","pinned":true,"app":"shop","data":{"app":"x"}}`)
	s.expect("announcement", `{"id":9,"title":"Hi","body":"b","link":"","pinned":true,"app":{"name":"shop","title":"The shop"},"data":{"app":"x"}}`)
}

func TestAfterAnOpeningEachUserHasTheirOwnCount(t *testing.T) {
	t.Parallel()
	b := &board{audiences: map[notifier.Audience]half{1: {100, 0}, 2: {300, 2}}}
	rdb, k := redistest.Client(t), redistest.Space(t)
	var hubs [2]*world
	for i := range hubs {
		hubs[i] = newWorld(t, rdb, k, func(c *Config) { c.Badges, c.Limits.Check = b, time.Hour })
	}
	b.set(2, 150, 5) // the user's own marks are later than the index
	want := map[int64]int64{1: 1, 2: 6, 3: 1, 4: 1}
	streams := map[int64]*stream{}
	for seq := range int64(10) {
		seq++
		a := notifier.Audience(1)
		if seq > 5 {
			a = 2
		}
		streams[seq] = hubs[seq%2].connectAs(seq, a)
		streams[seq].next()
	}
	hubs[0].publishTurn(1, 200, 100, strings.Replace(openNine, " 0 ", " 4 ", 1))
	for seq, n := range want {
		streams[seq].expect("announcement", nine)
		streams[seq].expect("badge", ann(200, n))
	}
	hubs[0].publishTurn(2, 400, 300, openNine, `open 8 7 {}`)
	for seq := int64(6); seq <= 10; seq++ {
		n := int64(3)
		streams[seq].expect("announcement", nine)
		if seq <= 7 {
			n++
			streams[seq].expect("announcement", `{"id":8}`)
		}
		streams[seq].expect("badge", ann(400, n))
	}
	// The fifth user joined late: no event, but the version moved on.
	hubs[0].publishTurn(1, 500, 200, `open 10 0 {}`)
	streams[5].expect("announcement", `{"id":10}`)
	streams[5].expect("badge", ann(500, 1))
	if n := b.reads(); n != 10 {
		t.Errorf("%d badges read, want only the ten first ones", n)
	}
}

func TestBadgesThatCannotBeUpdatedAreReadAgainAtOnce(t *testing.T) {
	t.Parallel()
	for _, c := range map[string]struct {
		aver, before int64
		line         string
		event, data  string
	}{
		"a gap":         {200, 150, openNine, "announcement", nine},
		"a tie":         {100, 90, openNine, "announcement", nine},
		"an older turn": {99, 90, openNine, "announcement", nine},
		"a lost Redis":  {200, 0, openNine, "announcement", nine},
		"a change":      {200, 100, `changed 9 0 {"title":"Ho","changed":true}`, "announcement", `{"id":9,"title":"Ho","changed":true}`},
		"a removal":     {200, 100, "removed 9", "announcement_removed", `{"id":9}`},
	} {
		w, b := newAnnouncementWorld(t, nil)
		s := w.connect(7)
		s.expect("badge", ann(100, 0))
		b.set(7, 201, 4)
		w.publishTurn(1, c.aver, c.before, c.line)
		s.expect(c.event, c.data)
		s.expect("badge", ann(201, 4))
	}
}

func TestANewVersionOfAnUnchangedCountIsNotSent(t *testing.T) {
	t.Parallel()
	w, b := newAnnouncementWorld(t, nil)
	s := w.connect(7)
	s.expect("badge", ann(100, 0))
	b.set(7, 200, 0)
	w.publishTurn(1, 200, 100, "removed 9")
	s.expect("announcement_removed", `{"id":9}`)
	testkit.Eventually(t, "the badge read", func() bool { return w.held(7).AVer == 200 })
	w.publishTurn(1, 300, 200, openNine)
	s.expect("announcement", nine)
	s.expect("badge", ann(300, 1))
}

func TestAMissedTurnIsMadeUpForWhenTheLinkIsBack(t *testing.T) {
	t.Parallel()
	direct, k := redistest.Client(t), redistest.Space(t)
	p := newProxy(t, redistest.Socket(t))
	through := redis.NewClient(&redis.Options{Addr: p.Addr().String(), DisableIdentity: true})
	t.Cleanup(func() { _ = through.Close() })
	b := &board{start: half{aver: 100}}
	w := newWorld(t, through, k, func(c *Config) { c.Badges, c.Limits.Check = b, time.Hour })
	w.rdb = direct
	streams := make([]*stream, 20)
	for i := range streams {
		streams[i] = w.connect(int64(i + 1))
		streams[i].expect("badge", ann(100, 0))
		b.set(int64(i+1), 200, int64(i+1))
	}
	p.swallow()
	w.publishTurn(1, 200, 100, openNine)
	for i, s := range streams {
		s.expect("badge", ann(200, int64(i+1)))
	}
	w.publishTurn(1, 300, 200, openNine) // the audience is subscribed again as well
	for i, s := range streams {
		s.expect("announcement", nine)
		s.expect("badge", ann(300, int64(i+2)))
	}
}

// recorder is a connection that records the bytes written to it.
type recorder struct {
	net.Conn
	mu   sync.Mutex
	text strings.Builder
}

func (r *recorder) Write(b []byte) (int, error) {
	r.mu.Lock()
	r.text.Write(b)
	r.mu.Unlock()
	return r.Conn.Write(b)
}

func (r *recorder) written() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// Redis handles the commands of a connection in order, so a user whose channel is confirmed also
// receives the audience's messages, even after the link was lost.
func TestAudiencesAreSubscribedBeforeUsers(t *testing.T) {
	t.Parallel()
	k := redistest.Space(t)
	dialed := make(chan *recorder, 100)
	rdb := redis.NewClient(&redis.Options{DisableIdentity: true, Dialer: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		c, err := d.DialContext(ctx, "unix", redistest.Socket(t))
		r := &recorder{Conn: c}
		dialed <- r
		return r, err
	}})
	t.Cleanup(func() { _ = rdb.Close() })
	w := newWorld(t, rdb, k, func(c *Config) { c.Badges = &board{start: half{aver: 100}} })
	w.rdb = redistest.Client(t)
	w.connect(7).expect("badge", ann(100, 0))
	for range 3 {
		var users string // commands before the users
		var link *recorder
		testkit.Eventually(t, "a link", func() bool {
			link = <-dialed
			var all bool
			// A link begins with a ping. Connections that go-redis opens by itself do not, and are dropped.
			testkit.Eventually(t, "commands that tell whether it is a link", func() bool {
				users, _, all = strings.Cut(link.written(), k.LiveUser(7))
				return all || len(dialed) > 0
			})
			return all && strings.Contains(users, "ping")
		})
		for a := range notifier.Audience(3) {
			if !strings.Contains(users, k.LiveAudience(a+1)) {
				t.Errorf("audience %d is not subscribed before %q", a+1, users)
			}
		}
		_ = link.Close()
	}
}

func TestEachLinkAppliesATurnToItsOwnUsersOnly(t *testing.T) {
	t.Parallel()
	w, b := newAnnouncementWorld(t, func(c *Config) { c.Limits.Channels = 3 })
	streams := make([]*stream, 10)
	for i := range streams {
		streams[i] = w.connect(int64(i + 1))
		streams[i].expect("badge", ann(100, 0))
	}
	for turn := range int64(5) {
		w.publishTurn(1, 101+turn, 100+turn, openNine)
		for _, s := range streams {
			s.expect("announcement", nine)
			s.expect("badge", ann(101+turn, turn+1))
		}
	}
	if n, got := b.reads(), w.hub.Stats(); n != 10 || got.Turns != 20 || got.Dropped != 0 {
		t.Errorf("%d badges read, %+v", n, got)
	}
}

func TestALingeringUserIsKeptUpToDate(t *testing.T) {
	t.Parallel()
	w, b := newAnnouncementWorld(t, func(c *Config) { c.Limits.Linger = time.Hour })
	s := w.connect(7)
	s.expect("badge", ann(100, 0))
	_ = s.res.Body.Close()
	testkit.Eventually(t, "the user's stream closed", func() bool { return w.hub.Stats().Streams == 0 })
	w.publishTurn(1, 200, 100, openNine)
	testkit.Eventually(t, "the count updated", func() bool { return w.held(7) == notifier.Badge{Unread: 1, Announcements: 1, Ver: 1, AVer: 200} })
	b.set(7, 300, 0)
	w.publishTurn(1, 300, 200, "removed 9")
	testkit.Eventually(t, "the badge read", func() bool { return w.held(7) == notifier.Badge{Ver: 1, AVer: 300} })
	w.connect(7).expect("badge", ann(300, 0))
}

func TestMalformedTurnsAreDropped(t *testing.T) {
	t.Parallel()
	w, _ := newAnnouncementWorld(t, nil)
	s := w.connect(7)
	s.expect("badge", ann(100, 0))
	for _, text := range []string{"", "200", "200 x", "200 100\nopen 9 0 <b>", "200 100\nforged 9", "200 100\nremoved 9 9"} {
		w.publish(w.keys.LiveAudience(1), text)
	}
	w.publish(w.keys.LiveUser(7), "A 200", "all")
	w.publishTurn(1, 200, 100, openNine)
	s.expect("announcement", nine)
	s.expect("badge", ann(200, 1))
	if got := w.hub.Stats(); got.Dropped != 7 || got.Turns != 1 {
		t.Errorf("%+v", got)
	}
}

func TestATurnRightAfterAChangeIsNotLost(t *testing.T) {
	t.Parallel()
	w, _ := newAnnouncementWorld(t, func(c *Config) { c.Limits.Merge = time.Second })
	s := w.connect(7)
	s.expect("badge", ann(100, 0))
	w.publish(w.keys.LiveUser(7), "50 2", "read a:1")
	w.publishTurn(1, 200, 100, openNine)
	w.publishMarks(7, 201, 0, "read 9")
	w.publishTurn(1, 300, 200, openNine)
	s.expect("read", `{"keys":["a:1"]}`)
	s.expect("badge", `{"unread":2,"inbox":2,"announcements":0,"ver":50,"aver":100}`)
	s.expect("announcement", nine)
	s.expect("announcement_read", `{"ids":[9]}`)
	s.expect("announcement", nine)
	if e := s.next(); e.id != "50" || e.data != `{"unread":3,"inbox":2,"announcements":1,"ver":50,"aver":300}` {
		t.Errorf("%+v", e)
	}
}

func TestEventsOfATurnCarryTheUsersVersion(t *testing.T) {
	t.Parallel()
	w, _ := newAnnouncementWorld(t, nil)
	s := w.connect(7)
	s.expect("badge", ann(100, 0))
	w.publish(w.keys.LiveUser(7), "50 2")
	s.next()
	w.publishTurn(1, 200, 100, openNine, `open 8 0 {}`)
	for _, name := range []string{"announcement", "announcement", "badge"} {
		if e := s.next(); e.name != name || e.id != "50" {
			t.Errorf("%+v, want %s with 50", e, name)
		}
	}
}

func TestMarksUpdateTheCountAndSendTheirEvents(t *testing.T) {
	t.Parallel()
	w, b := newAnnouncementWorld(t, nil)
	one, two := w.connect(7), w.connect(7)
	for _, s := range []*stream{one, two} {
		s.expect("badge", ann(100, 0))
	}
	for i, m := range []struct{ line, event, data string }{
		{"unread 9", "announcement_unread", `{"ids":[9]}`},
		{"read 9 10", "announcement_read", `{"ids":[9,10]}`},
		{"all", "announcement_read", `{"all":true}`},
	} {
		aver, unread := int64(200+i), int64(5-i)
		w.publishMarks(7, aver, unread, m.line)
		for _, s := range []*stream{one, two} {
			s.expect(m.event, m.data)
			s.expect("badge", ann(aver, unread))
		}
	}
	if n := b.reads(); n != 1 {
		t.Errorf("%d badges read for the marks", n-1)
	}
	b.set(7, 300, 8)
	w.publishMarks(7, 150, 1, "read 11") // older than the cached badge
	one.expect("announcement_read", `{"ids":[11]}`)
	one.expect("badge", ann(300, 8))
}

func TestAClientThatStallsDuringTurnsIsCutWithoutAffectingOthers(t *testing.T) {
	t.Parallel()
	w, _ := newAnnouncementWorld(t, func(c *Config) {
		c.Limits.WriteTimeout = time.Second
		c.Limits.QueueLen = 10_000
	})
	stuck := w.raw(7)
	defer func() { _ = stuck.Close() }()
	var good []*stream
	for seq := range int64(5) {
		good = append(good, w.connect(7+seq))
		good[seq].expect("badge", ann(100, 0))
	}
	testkit.Eventually(t, "six streams", func() bool { return w.hub.Stats().Streams == 6 })
	large := `open 9 0 {"body":"` + strings.Repeat("x", 60_000) + `"}`
	sent := int64(0)
	testkit.Eventually(t, "the stuck client cut", func() bool {
		sent++
		w.publishTurn(1, 100+sent, 99+sent, large)
		for _, s := range good {
			if e := s.next(); e.name != "announcement" {
				t.Fatalf("instead of turn %d another client received %+v", sent, e)
			}
			s.expect("badge", ann(100+sent, sent))
		}
		return w.hub.Stats().Streams == 5
	})
	if cut := w.hub.Stats().Cut; cut != 1 {
		t.Errorf("%d clients cut", cut)
	}
	wasCut(t, stuck)
}

func TestTurnsWorkOnAClusterAndOnMiniredis(t *testing.T) {
	t.Parallel()
	_, mini := redistest.Mini(t)
	for name, rdb := range map[string]redis.UniversalClient{"cluster": redistest.Cluster(t), "miniredis": mini} {
		w := newWorld(t, rdb, redistest.Space(t), func(c *Config) { c.Badges = &board{start: half{aver: 100}} })
		for a := range notifier.Audience(3) {
			s := w.connectAs(int64(a+1), a+1)
			s.expect("badge", ann(100, 0))
			w.publishTurn(a+1, 200, 100, openNine)
			s.expect("announcement", nine)
			s.expect("badge", ann(200, 1))
		}
		if d := w.hub.Stats().Dropped; d != 0 {
			t.Errorf("%s: %d messages dropped", name, d)
		}
	}
}

// A turn that arrives while the first badge is being read is counted once.
func TestATurnBetweenSubscribingAndReadingIsCountedOnce(t *testing.T) {
	t.Parallel()
	b := &board{start: half{aver: 100}}
	reading, goOn := make(chan struct{}, 10), make(chan struct{})
	w := newWorld(t, redistest.Client(t), redistest.Space(t), func(c *Config) {
		c.Limits.Check = time.Hour
		c.Badges = badgeFunc(func(ctx context.Context, readers []notifier.Reader) ([]notifier.Badge, error) {
			out, err := b.Badges(ctx, readers) // the reply from before the turn, delayed
			reading <- struct{}{}
			<-goOn
			return out, err
		})
	})
	c := w.raw(7)
	defer func() { _ = c.Close() }()
	<-reading
	b.set(7, 200, 1)
	w.publishTurn(1, 200, 100, openNine)
	testkit.Eventually(t, "the turn received", func() bool { return w.hub.Stats().Turns == 1 })
	close(goOn)
	testkit.Eventually(t, "the count that includes the turn", func() bool { return w.held(7).Announcements == 1 && w.held(7).AVer == 200 })
}
