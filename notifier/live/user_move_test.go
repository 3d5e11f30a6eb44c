package live

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

// directory is a Sessions whose contents a test sets: the sessions that have not ended, with their users'
// audiences.
type directory struct {
	mu    sync.Mutex
	alive map[string]notifier.Audience
	away  bool
	asked int
}

func (d *directory) Alive(_ context.Context, ids []string) (map[string]notifier.Audience, error) {
	d.mu.Lock()
	out, away := map[string]notifier.Audience{}, d.away
	for _, id := range ids {
		if a, ok := d.alive[id]; ok {
			out[id] = a
		}
	}
	d.asked++
	d.mu.Unlock()
	if away {
		return nil, errors.New("SQL is away")
	}
	return out, nil
}

func (d *directory) set(f func(d *directory)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f(d)
}

func (d *directory) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asked
}

// newMovers starts a hub whose regular check never happens.
func newMovers(t *testing.T, b *board, d *directory) *world {
	t.Helper()
	return newWorld(t, redistest.Client(t), redistest.Space(t), func(c *Config) {
		c.Badges, c.Sessions, c.Limits.Check = b, d, time.Hour
	})
}

func (w *world) connectWith(seq int64, a notifier.Audience, session string) *stream {
	w.t.Helper()
	r := request(w.t, w.srv.URL, seq)
	r.Header.Set("X-Audience", strconv.Itoa(int(a)))
	r.Header.Set("X-Session", session)
	return open(w.t, w.srv.Client(), r)
}

// connectMover connects user 7, whose session is in audience 1 and has been checked. there is audience 2's badge half.
func connectMover(t *testing.T, there half) (*world, *directory, *stream) {
	t.Helper()
	b := &board{audiences: map[notifier.Audience]half{1: {900, 3}, 2: there}}
	d := &directory{alive: map[string]notifier.Audience{"s": 1}}
	w := newMovers(t, b, d)
	s := w.connectWith(7, 1, "s")
	s.expect("badge", ann(900, 3))
	w.looked(d, 7)
	return w, d, s
}

// looked waits until the sessions of a user's streams have been checked.
func (w *world) looked(d *directory, seq int64) {
	w.t.Helper()
	testkit.Eventually(w.t, "the check of the sessions", func() bool {
		s := w.hub.shard(seq)
		s.mu.Lock()
		defer s.mu.Unlock()
		return !s.users[seq].checking && d.count() > 0
	})
}

func (w *world) signalUser(seq int64, s notifier.Signal) {
	w.t.Helper()
	w.publish(w.keys.LiveUser(seq), s.String())
}

// endsWithBye expects a bye, and no other event, before the end.
func (s *stream) endsWithBye() {
	s.t.Helper()
	for _, e := range s.end() {
		if e.name != "bye" && e.name != ":" {
			s.t.Errorf("event before the end: %+v", e)
		}
	}
}

func TestAnOpenStreamFollowsItsUserToAnotherAudience(t *testing.T) {
	t.Parallel()
	w, d, s := connectMover(t, half{1000, 1})
	d.set(func(d *directory) { d.alive["s"] = 2 })
	w.signalUser(7, notifier.Signal{Kind: notifier.SignalMoved})
	w.publishTurn(1, 901, 900, openNine) // after the signal, on the same connection
	s.expect("badge", ann(1000, 1))
	w.publishTurn(1, 902, 901, openNine)
	w.publishTurn(2, 1100, 1000, openNine)
	s.expect("announcement", nine)
	s.expect("badge", ann(1100, 2))
}

func TestAMoveSendsTheBadgeEvenIfItIsTheSame(t *testing.T) {
	t.Parallel()
	w, d, s := connectMover(t, half{1000, 3})
	d.set(func(d *directory) { d.alive["s"] = 2 })
	w.signalUser(7, notifier.Signal{Kind: notifier.SignalMoved})
	s.expect("badge", ann(1000, 3)) // so that a page reloads its list
}

// TestTheBadgeAfterAMoveCountsThoughItsVersionIsOlder: the index of the new audience may be lower because its
// writer has not reached Redis yet, or a turn of the old audience came before the signal.
func TestTheBadgeAfterAMoveCountsThoughItsVersionIsOlder(t *testing.T) {
	t.Parallel()
	w, d, s := connectMover(t, half{100, 1})
	d.set(func(d *directory) { d.alive["s"] = 2 })
	w.signalUser(7, notifier.Signal{Kind: notifier.SignalMoved})
	s.expect("badge", ann(900, 1)) // under the version that the browser has
}

func TestNothingOfAnyAudienceReachesAUserWhoseAudienceIsUnknown(t *testing.T) {
	t.Parallel()
	w, d, s := connectMover(t, half{1000, 1})
	d.set(func(d *directory) { d.away = true })
	w.signalUser(7, notifier.Signal{Kind: notifier.SignalMoved})
	from := d.count()
	testkit.Eventually(t, "another attempt", func() bool { return d.count() > from+1 })
	w.publishTurn(1, 901, 900, openNine)
	w.publishTurn(2, 1001, 1000, openNine)
	w.change(7, 50, 0, "read a:1") // the inbox does not depend on the audience
	s.expect("read", `{"keys":["a:1"]}`)
	s.expect("badge", `{"unread":3,"inbox":0,"announcements":3,"ver":50,"aver":900}`)
	d.set(func(d *directory) { d.away, d.alive["s"] = false, 2 })
	s.expect("badge", `{"unread":1,"inbox":0,"announcements":1,"ver":50,"aver":1000}`)
}

func TestABadgeRequestedBeforeAMoveIsIgnored(t *testing.T) {
	t.Parallel()
	b := &board{audiences: map[notifier.Audience]half{1: {900, 3}, 2: {1000, 1}}}
	d := &directory{alive: map[string]notifier.Audience{"s": 1}}
	asked, answer := make(chan struct{}, 10), make(chan struct{})
	var slow sync.Once
	w := newWorld(t, redistest.Client(t), redistest.Space(t), func(c *Config) {
		c.Sessions, c.Limits.Check = d, time.Hour
		c.Badges = badgeFunc(func(ctx context.Context, readers []notifier.Reader) ([]notifier.Badge, error) {
			badges, err := b.Badges(ctx, readers)
			if readers[0].Audience == 1 && badges[0].AVer == 2000 {
				slow.Do(func() { asked <- struct{}{}; <-answer })
			}
			return badges, err
		})
	})
	s := w.connectWith(7, 1, "s")
	s.expect("badge", ann(900, 3))
	w.looked(d, 7)
	b.mu.Lock()
	b.audiences[1] = half{2000, 9}
	b.mu.Unlock()
	w.publishTurn(1, 2000, 900, "removed 8") // causes the badge to be read
	s.expect("announcement_removed", `{"id":8}`)
	<-asked
	d.set(func(d *directory) { d.alive["s"] = 2 })
	from := d.count()
	w.signalUser(7, notifier.Signal{Kind: notifier.SignalMoved})
	testkit.Eventually(t, "the new audience known", func() bool { return d.count() > from && w.held(7).AVer == 900 && w.in(7, 2) })
	close(answer)
	s.expect("badge", ann(1000, 1))
}

// in reports whether the hub has a user in an audience.
func (w *world) in(seq int64, a notifier.Audience) (is bool) {
	s := w.hub.shard(seq)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.users[seq].hears(a)
}

// TestACheckFromBeforeAMoveIsIgnored delays the reply to the check of a new stream.
func TestACheckFromBeforeAMoveIsIgnored(t *testing.T) {
	t.Parallel()
	b := &board{audiences: map[notifier.Audience]half{1: {900, 3}, 2: {1000, 1}}}
	asked, answer := make(chan struct{}), make(chan struct{})
	var slow sync.Once
	after := make(chan struct{}) // closed: the second check may return
	w := newWorld(t, redistest.Client(t), redistest.Space(t), func(c *Config) {
		c.Badges, c.Limits.Check = b, time.Hour
		c.Sessions = aliveFunc(func(context.Context, []string) (map[string]notifier.Audience, error) {
			first := false
			slow.Do(func() { first = true; close(asked); <-answer })
			if first {
				return map[string]notifier.Audience{"s": 1}, nil
			}
			<-after
			return map[string]notifier.Audience{"s": 2}, nil
		})
	})
	s := w.connectWith(7, 1, "s")
	s.expect("badge", ann(900, 3))
	<-asked
	w.signalUser(7, notifier.Signal{Kind: notifier.SignalMoved})
	w.publish(w.keys.LiveUser(7), "40 0", "read a:1") // after the signal
	s.expect("read", `{"keys":["a:1"]}`)
	s.until("badge", `{"unread":3,"inbox":0,"announcements":3,"ver":40,"aver":900}`)
	close(answer)
	w.publishTurn(1, 901, 900, openNine)
	w.publish(w.keys.LiveUser(7), "50 0", "read a:2")
	s.expect("read", `{"keys":["a:2"]}`)
	s.expect("badge", `{"unread":3,"inbox":0,"announcements":3,"ver":50,"aver":900}`)
	close(after)
	s.expect("badge", `{"unread":1,"inbox":0,"announcements":1,"ver":50,"aver":1000}`)
}

func TestTheStreamsOfASessionEndWithItAndOthersContinue(t *testing.T) {
	t.Parallel()
	b := &board{start: half{aver: 100}}
	d := &directory{alive: map[string]notifier.Audience{"ends": 1, "stays": 1}}
	w := newMovers(t, b, d)
	one, same, other := w.connectWith(7, 1, "ends"), w.connectWith(7, 1, "ends"), w.connectWith(7, 1, "stays")
	for _, s := range []*stream{one, same, other} {
		s.expect("badge", ann(100, 0))
	}
	w.signalUser(7, notifier.Signal{Kind: notifier.SignalEnded, Browser: notifier.Browser("ends")})
	w.change(7, 50, 1, `notice 1 a:1 {"title":"private"}`)
	one.endsWithBye()
	same.endsWithBye()
	other.expect("notice", `{"key":"a:1","id":1,"title":"private"}`)
}

// TestASessionThatEndedWhileItsStreamOpened: the session was read before it ended, and no signal
// about it reached this hub.
func TestASessionThatEndedWhileItsStreamOpened(t *testing.T) {
	t.Parallel()
	b := &board{audiences: map[notifier.Audience]half{1: {900, 3}, 2: {1000, 1}}}
	d := &directory{alive: map[string]notifier.Audience{"moved": 2}}
	w := newMovers(t, b, d)
	s := w.connectWith(7, 1, "ended")
	s.expect("badge", ann(900, 3))
	s.endsWithBye()
	s = w.connectWith(8, 1, "moved")
	s.until("badge", ann(1000, 1))
}

// TestMissedSignalsAreMadeUpForWhenTheSubscriptionIsBack covers a Redis outage.
func TestMissedSignalsAreMadeUpForWhenTheSubscriptionIsBack(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	b := &board{audiences: map[notifier.Audience]half{1: {900, 3}, 2: {1000, 1}}}
	d := &directory{alive: map[string]notifier.Audience{"s": 1, "gone": 1}}
	w := newWorld(t, server.Client(t), redistest.Space(t), func(c *Config) { c.Badges, c.Sessions, c.Limits.Check = b, d, time.Hour })
	s, gone := w.connectWith(7, 1, "s"), w.connectWith(8, 1, "gone")
	s.expect("badge", ann(900, 3))
	gone.expect("badge", ann(900, 3))
	w.looked(d, 7)
	w.looked(d, 8)
	server.Crash(t)
	d.set(func(d *directory) { d.alive = map[string]notifier.Audience{"s": 2} })
	server.Restart(t)
	s.until("badge", ann(1000, 1))
	for _, e := range gone.end() {
		if e.name == "badge" && e.data == ann(1000, 1) {
			t.Errorf("a stream whose session has ended received %+v", e)
		}
	}
}

func TestAStreamWithoutASessionIsToldToReconnectAfterAMove(t *testing.T) {
	t.Parallel()
	w := newMovers(t, &board{audiences: map[notifier.Audience]half{1: {900, 3}, 2: {1000, 1}}}, &directory{})
	s := w.connectAs(7, 1)
	s.expect("badge", ann(900, 3))
	w.signalUser(7, notifier.Signal{Kind: notifier.SignalMoved})
	s.endsWithBye()
	s = w.connectAs(7, 2)
	s.expect("badge", ann(1000, 1))
	w.publishTurn(1, 901, 900, openNine)
	w.publishTurn(2, 1100, 1000, openNine)
	s.expect("announcement", nine)
	s.expect("badge", ann(1100, 2))
}
