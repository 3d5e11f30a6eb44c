package live

import (
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// listens reports whether the stream accepts toasts.
func (c *conn) listens() bool { return !c.toastsOff && !c.noToasts && c.open() }

// receives reports whether any stream of the user accepts toasts.
func (u *user) receives() bool { return slices.ContainsFunc(u.conns, (*conn).listens) }

// choose returns the connection that a toast goes to: the one active most recently among those whose browser
// shows a page, otherwise the newest. Connections in had are skipped. It returns nil if none is left.
func (u *user) choose(had []*conn) (best *conn) {
	var active time.Time
	for _, c := range slices.Backward(u.conns) {
		if !c.listens() || slices.Contains(had, c) {
			continue
		}
		if b := u.browserNamed(c.browser); b != nil && b.visible && b.at.After(active) {
			best, active = c, b.at
		} else if best == nil {
			best = c
		}
	}
	return best
}

// returned is called when a connection was opened or a page became visible again. Toasts sent to a connection
// that is gone or did not acknowledge in time are sent again. A visible page also gets toasts at once that were
// sent while no page was visible.
func (u *user) returned(seen bool) {
	if t := u.tray; t != nil {
		now := u.hub.cfg.Now()
		for i := range t.held {
			h := &t.held[i]
			if seen && !h.seen || h.to == nil || !h.to.open() || now.Sub(h.given) >= u.hub.lim.ToastHold {
				h.again = true
			}
			if h.again && seen {
				h.had = nil
			}
		}
		if seen {
			t.lost = nil
		}
		t.waits, t.rest = 0, time.Time{}
		t.plan()
	}
	u.ask()
}

// ask queues the user for the courier, which asks whether toasts wait for them.
func (u *user) ask() {
	if u.hub.cfg.Toasts == nil || u.asking || !u.receives() {
		return
	}
	u.asking = true
	u.hub.courier.ask(u)
}

// deal sends the claimed toasts. All toasts of one connection are sent in one write, after the changes
// published before them.
func (u *user) deal(t *tray, got notifier.Taken) {
	toasts := t.answered(got)
	if len(toasts) > 0 && !u.cut {
		u.flush()
	}
	for len(toasts) > 0 {
		var to *conn
		var rest, own []notifier.ToastEvent
		for i := range toasts {
			c := t.next(toasts[i].ID)
			if to == nil {
				to = c
			}
			if c == to {
				own = append(own, toasts[i])
			} else {
				rest = append(rest, toasts[i])
			}
		}
		if to == nil {
			break // no connection is left; decide closes the tray
		}
		u.give(t, to, own)
		toasts = rest
	}
	t.plan()
}

// next returns the connection to try next for a held toast; once all have had it, a new round begins.
func (t *tray) next(id string) *conn {
	h := t.find(id)
	to := t.user.choose(h.had)
	if to == nil && len(h.had) > 0 {
		h.had = nil
		to = t.user.choose(nil)
	}
	return to
}

func (u *user) give(t *tray, to *conn, toasts []notifier.ToastEvent) {
	now := u.hub.cfg.Now()
	b := u.browserNamed(to.browser)
	for i := range toasts {
		h := t.find(toasts[i].ID)
		h.to, h.given, h.seen, h.nudged, h.again = to, now, b != nil && b.visible, time.Time{}, false
		h.had = append(h.had, to)
		u.hub.stats.toasts.Add(1)
		if h.tries > 1 {
			u.hub.stats.toastRetries.Add(1)
		}
	}
	to.publish(pack(appendToasts(nil, u.badge.Ver, notifier.ToastsTogether(toasts, u.hub.cfg.Path))))
}

func (t *tray) find(id string) *held {
	return &t.held[slices.IndexFunc(t.held, func(h held) bool { return h.id == id })]
}
