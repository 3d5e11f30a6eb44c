package live

import (
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
)

func TestAnUnacknowledgedToastGoesToAnotherConnection(t *testing.T) {
	t.Parallel()
	w := newLoneToaster(t, holding(500*time.Millisecond))
	older, newer := w.page("a"), w.page("b")
	w.raise(17)
	id := newer.toast(17)
	if again := older.toast(17); again != id {
		t.Errorf("toast %s came again as %s", id, again)
	}
	w.toasts.mu.Lock()
	if last := w.toasts.last; len(last) != 1 || len(last[0].Toasts) != 1 || last[0].Toasts[0].Tries != 2 {
		t.Errorf("taken %+v", last)
	}
	w.toasts.mu.Unlock()
	if s := w.hub.Stats(); s.Toasts != 2 || s.ToastRetries != 1 {
		t.Errorf("%+v", s)
	}
	w.hub.Acked(7, w.ack(id))
	w.settled()
	w.quiet(50, older, newer)
}

func TestAnAcknowledgedToastIsNotGivenAgain(t *testing.T) {
	t.Parallel()
	rdb, k := redistest.Client(t), redistest.Space(t)
	w, other := newToaster(t, rdb, k, holding(time.Second)), newToaster(t, rdb, k, nil)
	a, b := w.page("a"), w.page("b")
	w.raise(17)
	id := b.toast(17)
	other.ack(id) // acknowledged on another instance
	w.settled()
	w.quiet(50, a, b)
	if n, _ := w.toasts.did(); n != 2 {
		t.Errorf("%d takes, want one and another that finds it acknowledged", n)
	}

	w.raise(18)
	id = b.toast(18)
	before, _ := w.toasts.did()
	w.hub.Acked(7, w.ack(id)) // acknowledged here
	w.settled()
	if n, _ := w.toasts.did(); n != before {
		t.Errorf("%d takes after the acknowledgement here", n-before)
	}
}

func TestToastsOfADeadInstanceAreGivenByAnother(t *testing.T) {
	t.Parallel()
	rdb, k := redistest.Client(t), redistest.Space(t)
	a, b := newToaster(t, rdb, k, holding(400*time.Millisecond)), newToaster(t, rdb, k, holding(400*time.Millisecond))
	first, second := a.page("a", "X-Visible"), b.page("b")
	a.raise(17)
	id := first.toast(17)
	a.stop()
	if again := second.toast(17); again != id {
		t.Errorf("toast %s came again as %s", id, again)
	}
}

func TestAToastThatAllHereHadIsOfferedToOthersAndComesAgain(t *testing.T) {
	t.Parallel()
	w := newLoneToaster(t, holding(200*time.Millisecond))
	s := w.page("a")
	w.raise(17)
	s.toast(17)
	s.toast(17)
	takes, nudges := w.toasts.did()
	w.toasts.mu.Lock()
	defer w.toasts.mu.Unlock()
	if d := w.toasts.took.Sub(w.toasts.nudged); takes != 2 || nudges != 1 || d < 190*time.Millisecond {
		t.Errorf("%d takes, the last %s after %d nudges; want 2, late enough for other instances", takes, d, nudges)
	}
}

func TestPausesGrowWithFailedAttempts(t *testing.T) {
	t.Parallel()
	lim := Limits{}.withDefaults()
	for tries, want := range map[int64]time.Duration{
		0: 10 * time.Second, 1: 10 * time.Second, 2: 20 * time.Second, 5: 160 * time.Second, 6: 5 * time.Minute, 1 << 40: 5 * time.Minute,
	} {
		if got := lim.pause(tries); got != want {
			t.Errorf("after %d tries: %s, want %s", tries, got, want)
		}
	}
}

func TestAVisiblePageGetsUnseenToastsAtOnce(t *testing.T) {
	t.Parallel()
	w := newLoneToaster(t, holding(time.Hour))
	a, b := w.page("a"), w.page("b")
	w.raise(17)
	id := b.toast(17)
	w.signal("a", true)
	if again := a.toast(17); again != id {
		t.Errorf("toast %s came again as %s", id, again)
	}
	w.signal("a", true) // it is visible there now
	w.signal("b", true)
	w.quiet(50, a, b)
	c := w.page("c", "X-Visible")
	w.quiet(60, a, b, c)
}

func TestTheNextPageGetsUnacknowledgedToasts(t *testing.T) {
	t.Parallel()
	w := newLoneToaster(t, holding(time.Hour))
	first := w.page("a", "X-Visible")
	w.raise(17)
	id := first.toast(17)
	_ = first.res.Body.Close()
	testkit.Eventually(t, "the user's stream closed", func() bool { return w.hub.Stats().Streams == 0 })
	if again := w.page("a").toast(17); again != id {
		t.Errorf("toast %s came again as %s", id, again)
	}
}

func TestToastsGivenToAHiddenPageComeAgainWhenItIsVisible(t *testing.T) {
	t.Parallel()
	w := newLoneToaster(t, holding(time.Hour))
	a := w.page("a", "X-Visible")
	w.raise(17)
	id := a.toast(17)
	w.signal("a", false) // it was hidden earlier, but reports it only now
	w.signal("a", true)
	if again := a.toast(17); again != id {
		t.Errorf("toast %s came again as %s", id, again)
	}
}
