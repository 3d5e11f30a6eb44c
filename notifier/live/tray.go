package live

import (
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// tray holds a user's undelivered toasts. Most users have none. It is guarded by the lock of the user's shard,
// except due and place, which the courier's lock guards.
type tray struct {
	user   *user
	want   time.Time // when to claim waiting toasts; zero: none wait
	waits  int       // consecutive times that other instances held the waiting toasts
	held   []held
	lost   []held      // formerly held here, then claimed by another instance
	fails  int         // consecutive failed calls for this user
	rest   time.Time   // no retry before this time
	taking bool        // a call of Take is under way
	acked  []string    // acknowledged during that call
	nudges []time.Time // times of this instance's own nudges that have not come back yet

	due   time.Time
	place int // index in the schedule; -1: not scheduled
}

// held is a toast that this instance has claimed and sent, until it is acknowledged.
type held struct {
	id     string
	tries  int64
	to     *conn // connection it was last sent to
	given  time.Time
	seen   bool      // that connection showed a page at that time
	had    []*conn   // connections it was sent to in this round, including to
	nudged time.Time // when other instances were nudged to claim it; zero: not since it was sent
	again  bool      // send it again as soon as it is claimed again
}

// openTray returns the user's tray, creating it if necessary.
func (u *user) openTray() *tray {
	if u.tray == nil {
		u.tray = &tray{user: u, place: -1}
	}
	return u.tray
}

// wanted schedules a claim of waiting toasts after a delay, unless an earlier one is scheduled.
func (t *tray) wanted(after time.Duration) {
	at := t.user.hub.cfg.Now().Add(after)
	if t.want.IsZero() || at.Before(t.want) {
		t.want = at
	}
	t.plan()
}

// echo reports whether a nudge is this instance's own. It is meant for the other instances: claiming the toasts
// here would keep them from the others.
func (t *tray) echo() bool {
	now, lim := t.user.hub.cfg.Now(), t.user.hub.lim
	t.nudges = slices.DeleteFunc(t.nudges, func(at time.Time) bool { return now.Sub(at) > lim.Silence })
	if len(t.nudges) == 0 {
		return false
	}
	t.nudges = t.nudges[1:]
	return true
}

// acknowledged removes toasts that a browser has shown.
func (t *tray) acknowledged(ids []string) {
	if t.taking {
		t.acked = append(t.acked, ids...)
	}
	is := func(h held) bool { return slices.Contains(ids, h.id) }
	t.held, t.lost = slices.DeleteFunc(t.held, is), slices.DeleteFunc(t.lost, is)
	t.plan()
}

// failed schedules another attempt for a user who could not be served, with a growing delay.
func (t *tray) failed() {
	t.acked, t.taking = nil, false
	t.rest = t.user.hub.cfg.Now().Add(min(failPause<<min(t.fails, 20), longestPause))
	t.fails++
	t.wanted(0)
}

// spent reports whether there are toasts that every connection here has already had.
func (t *tray) spent() bool {
	some := false
	for _, h := range slices.Concat(t.lost, t.held) {
		if len(h.had) > 0 && (h.to == nil || !h.nudged.IsZero()) {
			if t.user.choose(h.had) != nil {
				return false
			}
			some = true
		}
	}
	return some
}

// answered updates the tray from a reply of Take and returns the toasts to send now, oldest first. A held toast
// that is missing from the reply is held by another instance or gone.
func (t *tray) answered(got notifier.Taken) (give []notifier.ToastEvent) {
	still := make([]held, 0, len(got.Toasts))
	was := slices.Concat(t.held, t.lost)
	shows := notifier.ToastShows{App: t.user.hub.cfg.App, Look: t.user.hub.cfg.Look, Somebody: t.user.somebody()}
	for i := range got.Toasts {
		of := &got.Toasts[i]
		if slices.Contains(t.acked, of.ID) {
			continue
		}
		event, ok := notifier.NewToastEvent(of, shows)
		if !ok {
			t.user.hub.stats.dropped.Add(1)
			continue
		}
		h := held{id: of.ID, again: true}
		if at := slices.IndexFunc(was, func(h held) bool { return h.id == of.ID }); at >= 0 {
			h = was[at]
			was = slices.Delete(was, at, at+1)
		}
		h.tries = of.Tries
		still = append(still, h)
		if h.again {
			give = append(give, event)
		}
	}
	acked := t.acked
	t.held, t.lost, t.acked, t.taking, t.fails = still, nil, nil, false, 0
	if got.Again > 0 { // back off further each time: the instance that holds them may be delivering them
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

// longestPause is the longest pause before an unacknowledged toast is tried again.
const longestPause = 5 * time.Minute

// decide returns whether to claim waiting toasts now, and whether to nudge other instances about them.
func (t *tray) decide(now time.Time) (take, nudge bool) {
	lim := &t.user.hub.lim
	if t.user.tray != t {
		return false, false // closed
	}
	if !t.user.receives() {
		t.user.tray = nil // another instance with this user claims the held toasts once the hold has expired
		return false, false
	}
	if now.Before(t.rest) {
		return false, false
	}
	if take = !t.want.IsZero() && !now.Before(t.want); take {
		t.want = time.Time{}
	}
	for i := range t.held {
		h := &t.held[i]
		switch rested := now.Sub(h.given); {
		case h.again:
			take = true
		case rested < lim.ToastHold:
		case t.user.choose(h.had) != nil:
			h.again, take = true, true
		case h.nudged.IsZero():
			if rested >= lim.pause(h.tries) {
				h.nudged, nudge = now, true
			}
		case now.Sub(h.nudged) >= lim.pause(h.tries): // no other instance claimed it: begin another round
			h.again, h.had, take = true, nil, true
		}
	}
	t.taking = take
	if nudge {
		t.nudges = append(t.nudges, now)
	}
	return take, nudge
}

// plan schedules the next decision, or closes the tray when nothing is left to do.
func (t *tray) plan() {
	u := t.user
	if u.tray != t || t.taking {
		return // closed, or the pending reply will plan
	}
	if t.want.IsZero() && len(t.held) == 0 {
		u.tray = nil
		u.hub.courier.drop(t)
		return
	}
	lim := &u.hub.lim
	next := t.want
	for i := range t.held {
		h := &t.held[i]
		at := h.given
		switch {
		case h.again:
		case u.choose(h.had) != nil:
			at = at.Add(lim.ToastHold)
		case h.nudged.IsZero():
			at = at.Add(lim.pause(h.tries))
		default:
			at = h.nudged.Add(lim.pause(h.tries))
		}
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	if next.Before(t.rest) {
		next = t.rest
	}
	u.hub.courier.at(t, next)
}

// yield returns how long an instance leaves toasts to others after all its connections had them: long enough
// for the instance that holds them to try another connection.
func (l *Limits) yield() time.Duration { return l.ToastHold + l.ToastHold/2 }

// pause returns how long a toast waits after all connections had it; it grows with the number of failed
// attempts.
func (l *Limits) pause(tries int64) time.Duration {
	p := l.ToastHold << min(max(tries-1, 0), 30)
	if p <= 0 || p > max(longestPause, l.ToastHold) {
		return max(longestPause, l.ToastHold)
	}
	return p
}
