package live

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

func TestAToastIsLeftToTheInstanceWithAVisibleIdlePage(t *testing.T) {
	t.Parallel()
	rdb, k := redistest.Client(t), redistest.Space(t)
	change := func(c *Config) {
		c.Limits.ToastWait, c.Limits.ToastAway, c.Limits.ToastActive = time.Millisecond, time.Hour, time.Nanosecond
	}
	a, b := newToaster(t, rdb, k, change), newToaster(t, rdb, k, change)
	hidden, reading := a.page("a"), b.page("b")
	a.signal("b", true)
	a.quiet(50, hidden, reading)
	a.raise(17)
	reading.toast(17)
	testkit.Eventually(t, "the other instance waiting", func() bool { want, _, _ := a.work(); return want.After(time.Now().Add(50 * time.Minute)) })
	a.signal("b", false)
	a.quiet(60, hidden, reading)
	for _, s := range []*toaster{a, b} {
		testkit.Eventually(t, "no visible page", func() bool { return s.patience() == time.Millisecond })
	}
}

func (w *toaster) patience() time.Duration {
	s := w.hub.shard(7)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.users[7].patience()
}

func TestSwitchingToastsAlsoAffectsOpenStreams(t *testing.T) {
	t.Parallel()
	rdb, k := redistest.Client(t), redistest.Space(t)
	change := func(c *Config) { // the other instance claims no toasts by itself
		c.Limits.ToastHold, c.Limits.ToastWait, c.Limits.ToastAway = time.Hour, time.Hour, time.Hour
	}
	a, b := newToaster(t, rdb, k, change), newToaster(t, rdb, k, change)
	streams := []*stream{a.page("a"), b.page("b", "X-Visible")}
	want := func(on bool) {
		t.Helper()
		if err := a.toasts.Signal(context.Background(), 7, notifier.Signal{Kind: notifier.SignalSwitch, On: on}); err != nil {
			t.Fatal(err)
		}
	}
	b.signal("b", true)
	a.quiet(40, streams...)
	b.raise(17)
	id := streams[1].toast(17)
	want(false)
	a.settled()
	b.settled()

	// The same holds for a stream whose session was read just before.
	r := request(t, b.srv.URL, 7)
	r.Header.Set("X-Session", "c")
	streams = append(streams, open(t, b.srv.Client(), r))
	streams[2].expect("badge", badge(40, 40))
	b.raise(18)
	a.quiet(50, streams...)
	a.ack(b.waiting(7)[1])

	want(true)
	if again := streams[1].toast(17); again != id {
		t.Errorf("toast %s came again as %s", id, again)
	}
	want(true) // another setting was saved
	a.quiet(60, streams...)
}

func TestAToastThatAllHereHadIsLeftToOtherInstances(t *testing.T) {
	t.Parallel()
	w := newLoneToaster(t, holding(time.Hour))
	s := w.page("a")
	w.raise(17)
	id := s.toast(17)
	claim := func(by string, idle time.Duration) {
		t.Helper()
		err := w.rdb.Do(context.Background(), "XCLAIM", w.keys.Toasts(7), "toasts", by, 0, id, "IDLE", idle.Milliseconds()).Err()
		if err != nil {
			t.Fatal(err)
		}
	}
	claim("another", 0)
	w.publish(w.keys.LiveUser(7), "T")
	after := func(d time.Duration) func() bool {
		return func() bool { want, _, _ := w.work(); return want.After(time.Now().Add(d)) }
	}
	testkit.Eventually(t, "an attempt after the hold of the other instance", after(2*time.Hour))
	claim("another", 2*time.Hour)
	w.publish(w.keys.LiveUser(7), "N")
	w.quiet(50, s)
	testkit.Eventually(t, "an attempt after the other instances", after(time.Hour))
	if again := w.page("b").toast(17); again != id { // it was not sent the toast before
		t.Errorf("toast %s came again as %s", id, again)
	}
}

func TestAUserWhoCannotBeServedDoesNotAffectOthers(t *testing.T) {
	t.Parallel()
	var log lines
	w := newLoneToaster(t, func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	first := w.page("a")
	broken := w.keys.PendingToasts(7)
	if err := w.rdb.Set(context.Background(), broken, "x", 0).Err(); err != nil {
		t.Fatal(err)
	}
	w.publish(w.keys.LiveUser(7), "T")
	testkit.Eventually(t, "a later attempt", func() bool {
		_, _, busy := w.work()
		n, _ := w.toasts.did()
		return busy && n > 0
	})
	second := w.page("b") // the call of Waiting fails as well

	other := w.connect(8)
	other.expect("badge", badge(1, 0))
	for n := int64(1); n <= 20; n++ {
		raise := notifier.ToastRaise{NoticeID: n, Content: []byte(`{"title":"Toast"}`), Seqs: []int64{7, 8}}
		w.hub.courier.raise([]notifier.ToastRaise{raise})
		if e := other.next(); e.name != "toast" {
			t.Fatalf("%+v", e)
		}
		all := w.waiting(8)
		if err := w.toasts.Ack(context.Background(), 8, all); err != nil {
			t.Fatal(err)
		}
		w.hub.Acked(8, all)
	}
	testkit.Eventually(t, "further failures", func() bool { return w.failures() >= 2 })
	if err := w.rdb.Del(context.Background(), broken).Err(); err != nil {
		t.Fatal(err)
	}
	w.raise(17)
	second.toast(17)
	testkit.Eventually(t, "no more failures", func() bool { return w.failures() == 0 })
	w.quiet(50, first, second)
	if n := strings.Count(log.String(), "could not deliver toasts to some users"); n != 1 || strings.Contains(log.String(), "retrying") {
		t.Errorf("logged:\n%s", log.String())
	}
}

// waiting returns the ids of a user's waiting toasts.
func (w *toaster) waiting(seq int64) []string {
	w.t.Helper()
	all, err := w.rdb.ZRange(context.Background(), w.keys.PendingToasts(seq), 0, -1).Result()
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// failures returns the number of consecutive failures to serve user 7.
func (w *toaster) failures() int {
	s := w.hub.shard(7)
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.users[7]; u.tray != nil {
		return u.tray.fails
	}
	return 0
}

// lines collects log output.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
