package live

import (
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// tray is what the courier has to do for one user: there is none for most. It is
// guarded by the user's shard's lock but for due and place, which are the courier's.
type tray struct {
	user   *user
	want   time.Time // when to take what waits; zero: nobody said that anything does
	waits  int       // how often others held what waits, since that was said
	held   []held
	lost   []held      // these had it here, but another instance took it since
	fails  int         // how often in a row he could not be served,
	rest   time.Time   // and until when that is not tried again
	taking bool        // a call is under way,
	acked  []string    // and this was acknowledged meanwhile
	nudges []time.Time // of this instance, that it has not heard itself

	due   time.Time
	place int // among all that is due; -1: not there
}

// held is a toast that this instance took and gave, until it is acknowledged.
type held struct {
	id    string
	tries int64
	to    *conn // it was given to this connection last,
	given time.Time
	seen  bool      // which showed a page then
	had   []*conn   // these had it, that one included
	told  time.Time // when others were told to take it; zero: not since then
	again bool      // it is to be given as soon as it is taken again
}

// openTray gives u one, if he has none.
func (u *user) openTray() *tray {
	if u.tray == nil {
		u.tray = &tray{user: u, place: -1}
	}
	return u.tray
}

// wanted has what waits taken after a while, or earlier if that is planned.
func (t *tray) wanted(after time.Duration) {
	at := t.user.hub.cfg.Now().Add(after)
	if t.want.IsZero() || at.Before(t.want) {
		t.want = at
	}
	t.plan()
}

// echo says whether a signal is this instance's own nudge, which is for others: by
// taking, it would keep what they are to have.
func (t *tray) echo() bool {
	now, lim := t.user.hub.cfg.Now(), t.user.hub.lim
	t.nudges = slices.DeleteFunc(t.nudges, func(at time.Time) bool { return now.Sub(at) > lim.Silence })
	if len(t.nudges) == 0 {
		return false
	}
	t.nudges = t.nudges[1:]
	return true
}

// acknowledged removes what a browser has shown.
func (t *tray) acknowledged(ids []string) {
	if t.taking {
		t.acked = append(t.acked, ids...)
	}
	is := func(h held) bool { return slices.Contains(ids, h.id) }
	t.held, t.lost = slices.DeleteFunc(t.held, is), slices.DeleteFunc(t.lost, is)
	t.plan()
}

// failed has the toasts of a user who could not be served taken again, and each time
// later.
func (t *tray) failed() {
	t.acked, t.taking = nil, false
	t.rest = t.user.hub.cfg.Now().Add(min(failPause<<min(t.fails, 20), longestPause))
	t.fails++
	t.wanted(0)
}

// spent says whether something waits that every connection here had in vain.
func (t *tray) spent() bool {
	some := false
	for _, h := range slices.Concat(t.lost, t.held) {
		if len(h.had) > 0 && (h.to == nil || !h.told.IsZero()) {
			if t.user.choose(h.had) != nil {
				return false
			}
			some = true
		}
	}
	return some
}

// answered is what of an answer is to be given now, the oldest first. What was held and
// is not in it is somebody else's now, or nobody's any more.
func (t *tray) answered(got notifier.Taken) (give []toastData) {
	still := make([]held, 0, len(got.Toasts))
	was := slices.Concat(t.held, t.lost)
	for i := range got.Toasts {
		toast := &got.Toasts[i]
		if slices.Contains(t.acked, toast.ID) {
			continue
		}
		shows, ok := readToast(toast)
		if !ok {
			t.user.hub.stats.dropped.Add(1)
			continue
		}
		h := held{id: toast.ID, again: true}
		if at := slices.IndexFunc(was, func(h held) bool { return h.id == toast.ID }); at >= 0 {
			h = was[at]
			was = slices.Delete(was, at, at+1)
		}
		h.tries = toast.Tries
		still = append(still, h)
		if h.again {
			give = append(give, shows)
		}
	}
	acked := t.acked
	t.held, t.lost, t.acked, t.taking, t.fails = still, nil, nil, false, 0
	if got.Again > 0 { // each time longer: whoever holds it may be at it
		for _, h := range was {
			if !slices.Contains(acked, h.id) {
				t.lost = append(t.lost, held{id: h.id, had: h.had, again: true})
			}
		}
		t.waits++
		lim := &t.user.hub.lim
		after := max(got.Again, lim.pause(int64(t.waits))-lim.ToastHold, time.Millisecond)
		if t.spent() {
			after += lim.yield()
		}
		if again := t.user.hub.cfg.Now().Add(after); t.want.IsZero() || again.Before(t.want) {
			t.want = again
		}
	}
	return give
}
