package live

import (
	"context"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

func TestOneOfFourConnectionsOnTwoInstancesGetsAToast(t *testing.T) {
	t.Parallel()
	rdb, k := redistest.Client(t), redistest.Space(t)
	a, b := newToaster(t, rdb, k, holding(time.Hour)), newToaster(t, rdb, k, holding(time.Hour))
	streams := []*stream{a.page("a1"), a.page("a2"), b.page("b1"), b.page("b2")}
	a.raise(17)
	testkit.Eventually(t, "both instances looking for toasts", func() bool {
		n, _ := a.toasts.did()
		m, _ := b.toasts.did()
		return n > 0 && m > 0
	})
	a.change(7, 50, 1)
	got := 0
	for _, s := range streams {
		e := s.next()
		if e.name == "toast" {
			got++
			e = s.next()
		}
		if e.data != badge(50, 1) {
			t.Errorf("%+v", e)
		}
	}
	if got != 1 {
		t.Errorf("%d connections received the toast", got)
	}
	if n := a.hub.Stats().Toasts + b.hub.Stats().Toasts; n != 1 {
		t.Errorf("%d toasts given", n)
	}
}

func TestAToastGoesToTheInstanceWhereItsUserIsActive(t *testing.T) {
	t.Parallel()
	rdb, k := redistest.Client(t), redistest.Space(t)
	change := func(c *Config) { c.Limits.ToastWait, c.Limits.ToastAway = time.Hour, time.Hour }
	a, b := newToaster(t, rdb, k, change), newToaster(t, rdb, k, change)
	active, other := a.page("a", "X-Visible"), b.page("b")
	a.raise(17)
	a.hub.Acked(7, a.ack(active.toast(17)))

	// The other browser was active last, and its instance is notified when the first one is hidden.
	a.signal("b", true)
	b.quiet(50, active, other)
	a.raise(18)
	b.hub.Acked(7, b.ack(other.toast(18)))

	a.signal("b", false)
	a.signal("a", false)
	b.quiet(60, active, other)
	a.raise(19)
	for _, w := range []*toaster{a, b} {
		testkit.Eventually(t, "the hub waiting for an active instance", func() bool {
			want, _, _ := w.work()
			return want.After(time.Now().Add(50 * time.Minute))
		})
	}
}

func TestWithoutAnActivePageAToastComesAfterTheWait(t *testing.T) {
	t.Parallel()
	w := newLoneToaster(t, nil)
	s := w.page("a")
	began := time.Now()
	w.raise(17)
	s.toast(17)
	if d := time.Since(began); d < 140*time.Millisecond {
		t.Errorf("toast after %s", d)
	}
}

func TestTheLastActiveVisibleTabGetsAToastElseTheNewestConnection(t *testing.T) {
	t.Parallel()
	w := newLoneToaster(t, holding(time.Hour))
	a, b, c := w.page("a"), w.page("b"), w.page("c")
	n := int64(0)
	comesTo := func(s *stream) {
		t.Helper()
		n++
		w.raise(n)
		w.hub.Acked(7, w.ack(s.toast(n)))
		w.quiet(100+n, a, b, c)
	}
	comesTo(c)
	w.signal("a", true)
	comesTo(a)
	w.signal("b", true)
	comesTo(b)
	w.signal("a", true)
	comesTo(a)
	w.signal("a", false)
	comesTo(b)
	w.signal("b", false)
	comesTo(c)
	d, e := w.page("d", "X-Toasts-Off", "X-Visible"), w.page("e", "X-No-Toasts", "X-Visible")
	comesTo(c)
	for _, s := range []*stream{d, e} {
		s.expect("badge", badge(100+n, 100+n))
	}
}

func TestAnOutdatedVisibilityReportChangesNothing(t *testing.T) {
	t.Parallel()
	w := newLoneToaster(t, holding(time.Hour))
	a, b := w.page("a"), w.page("b")
	at := time.Now()
	for _, s := range []notifier.Signal{
		{Kind: notifier.SignalSeen, Browser: notifier.Browser("a"), On: true, At: at.UnixMilli()},
		{Kind: notifier.SignalSeen, Browser: notifier.Browser("a"), On: false, At: at.Add(-time.Second).UnixMilli()},
		{Kind: notifier.SignalSeen, Browser: notifier.Browser("b"), On: true, At: at.Add(-time.Second).UnixMilli()},
	} {
		if err := w.toasts.Signal(context.Background(), 7, s); err != nil {
			t.Fatal(err)
		}
	}
	w.quiet(50, a, b)
	w.raise(17)
	w.hub.Acked(7, w.ack(a.toast(17)))

	// A report from an instance whose clock runs ahead does not block later reports.
	ahead := notifier.Signal{Kind: notifier.SignalSeen, Browser: notifier.Browser("a"), On: true, At: at.Add(time.Hour).UnixMilli()}
	if err := w.toasts.Signal(context.Background(), 7, ahead); err != nil {
		t.Fatal(err)
	}
	w.quiet(60, a, b) // the report was applied
	w.signal("a", false)
	w.signal("b", true)
	w.quiet(70, a, b)
	w.raise(18)
	b.toast(18)
}
