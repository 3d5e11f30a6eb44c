package live

import (
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// listens says whether a stream may be given toasts.
func (c *conn) listens() bool { return !c.toastsOff && c.open() }

// receives says whether any stream of the user may.
func (u *user) receives() bool { return slices.ContainsFunc(u.conns, (*conn).listens) }

// choose is the connection that a toast goes to: of those whose browser shows a page
// the one that was active last, else the newest; but none of those that had it. It is
// nil when there is none.
func (u *user) choose(had []*conn) (best *conn) {
	var active time.Time
	for _, c := range slices.Backward(u.conns) {
		if !c.listens() || slices.Contains(had, c) {
			continue
		}
		if b := u.known(c.browser); b != nil && b.visible && b.at.After(active) {
			best, active = c, b.at
		} else if best == nil {
			best = c
		}
	}
	return best
}

// comesBack is called when a connection was made, or a page is seen again. What was
// given to a connection that is gone, or that rests, is given again. A page that is
// seen has it at once, too, when nobody can have seen it.
func (u *user) comesBack(seen bool) {
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

// ask has the courier ask whether anything waits for the user.
func (u *user) ask() {
	if u.hub.cfg.Toasts == nil || u.asking || !u.receives() {
		return
	}
	u.asking = true
	u.hub.courier.ask(u)
}

// deal gives what was taken. All that one connection gets comes in one write, behind
// the changes that were published before.
func (u *user) deal(t *tray, got notifier.Taken) {
	toasts := t.answered(got)
	if len(toasts) > 0 && !u.cut {
		u.flush()
	}
	for len(toasts) > 0 {
		var to *conn
		var rest, own []toastData
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
			break // nobody is left; look gives the tray up
		}
		u.give(t, to, own)
		toasts = rest
	}
	t.plan()
}

// next is whose turn it is to have a held toast: when all had it they begin anew.
func (t *tray) next(id string) *conn {
	h := t.find(id)
	to := t.user.choose(h.had)
	if to == nil && len(h.had) > 0 {
		h.had = nil
		to = t.user.choose(nil)
	}
	return to
}

func (u *user) give(t *tray, to *conn, toasts []toastData) {
	now := u.hub.cfg.Now()
	b := u.known(to.browser)
	for i := range toasts {
		h := t.find(toasts[i].ID)
		h.to, h.given, h.seen, h.told, h.again = to, now, b != nil && b.visible, time.Time{}, false
		h.had = append(h.had, to)
		u.hub.stats.toasts.Add(1)
		if h.tries > 1 {
			u.hub.stats.toastRetries.Add(1)
		}
	}
	to.publish(pack(appendToasts(nil, u.badge.Ver, toasts)))
}

func (t *tray) find(id string) *held {
	return &t.held[slices.IndexFunc(t.held, func(h held) bool { return h.id == id })]
}
