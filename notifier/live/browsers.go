package live

import (
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// maxBrowsers is how many browsers of one user are tracked. Beyond that, the least recently active one is
// forgotten.
const maxBrowsers = 16

// browser is the state of one of a user's browsers, connected to this instance or not. It is
// guarded by the lock of the user's shard.
type browser struct {
	name    string
	visible bool      // a page is visible
	at      time.Time // when that was last reported
	left    time.Time // when its last stream here ended; zero: it has a stream, or has reported since then
}

// sight applies a browser's report about its visibility, unless a later report was applied.
func (u *user) sight(s notifier.Signal) {
	at := time.UnixMilli(min(s.At, u.hub.cfg.Now().UnixMilli())) // another instance's clock may be ahead
	if !u.see(s.Browser, s.On, at) {
		return
	}
	if !s.On {
		u.unseen(s.Browser)
		return
	}
	for _, c := range u.conns {
		if c.browser == s.Browser && c.listens() {
			u.returned(true)
			return
		}
	}
}

// unseen is called when a browser reports that none of its pages is visible. Toasts sent to it and not
// acknowledged were probably not seen.
func (u *user) unseen(name string) {
	if u.tray == nil {
		return
	}
	for i := range u.tray.held {
		if h := &u.tray.held[i]; h.to != nil && h.to.browser == name {
			h.seen = false
		}
	}
}

// see records whether a page of a browser is visible. It returns false if a later report was recorded.
func (u *user) see(name string, visible bool, at time.Time) bool {
	b := u.browserNamed(name)
	if b == nil {
		if len(u.browsers) >= maxBrowsers {
			oldest := slices.MinFunc(u.browsers, func(a, b browser) int { return a.at.Compare(b.at) })
			u.browsers = slices.DeleteFunc(u.browsers, func(b browser) bool { return b.name == oldest.name })
		}
		u.browsers = append(u.browsers, browser{name: name, visible: visible, at: at})
		return true
	}
	if at.Before(b.at) {
		return false
	}
	b.visible, b.at, b.left = visible, at, time.Time{}
	return true
}

func (u *user) browserNamed(name string) *browser {
	if i := slices.IndexFunc(u.browsers, func(b browser) bool { return b.name == name }); i >= 0 {
		return &u.browsers[i]
	}
	return nil
}

// arrive updates the state of a new stream's browser. A stream that soon follows another belongs to
// a page that is still visible, or to a second page: nothing has changed.
func (u *user) arrive(c *conn) {
	now := u.hub.cfg.Now()
	if !u.switched.IsZero() && now.Sub(u.switched) < joinTimeout {
		c.toastsOff = u.off // the request may have read the setting before the user switched it
	}
	if c.seen {
		u.see(c.browser, true, now.Truncate(time.Millisecond)) // in the precision that other instances report
	} else if b := u.browserNamed(c.browser); b != nil {
		b.visible = b.visible && (b.left.IsZero() || now.Sub(b.left) < u.hub.lim.Linger)
		b.left = time.Time{}
	}
	b := u.browserNamed(c.browser)
	u.returned(b != nil && b.visible)
}

// depart records that a stream has ended.
func (u *user) depart(c *conn) {
	same := func(other *conn) bool { return other.browser == c.browser }
	if b := u.browserNamed(c.browser); b != nil && !slices.ContainsFunc(u.conns, same) {
		b.left = u.hub.cfg.Now()
	}
}

// patience returns how long to leave a toast to other instances: zero if the browser that most recently showed
// a page is connected here and was active recently; longer if it is connected elsewhere.
func (u *user) patience() time.Duration {
	var last *browser
	for i := range u.browsers {
		if b := &u.browsers[i]; b.visible && (last == nil || b.at.After(last.at)) {
			last = b
		}
	}
	lim := &u.hub.lim
	switch {
	case last == nil:
		return lim.ToastWait
	case !slices.ContainsFunc(u.conns, func(c *conn) bool { return c.browser == last.name && c.listens() }):
		return lim.ToastAway
	case u.hub.cfg.Now().Sub(last.at) < lim.ToastActive:
		return 0
	default:
		return lim.ToastWait
	}
}

// signal applies a published signal.
func (u *user) signal(s notifier.Signal) {
	toasts := u.hub.cfg.Toasts != nil
	switch s.Kind {
	case notifier.SignalEnded:
		u.ended(s.Browser)
	case notifier.SignalMoved:
		u.moved()
	case notifier.SignalSeen:
		if toasts {
			u.sight(s)
		}
	case notifier.SignalSwitch:
		if toasts {
			u.wants(s.On, s.At)
		}
	case notifier.SignalToast, notifier.SignalNudge:
		if toasts {
			u.toastWaits(s.Kind == notifier.SignalNudge)
		}
	}
}

// toastWaits is called when a toast waits. The toast is left to other instances for a moment, unless the user
// is active here. After a nudge it is left to them for longer if all connections here have already had it.
func (u *user) toastWaits(nudge bool) {
	if !u.receives() || nudge && u.tray != nil && u.tray.echo() {
		return
	}
	t, after := u.openTray(), u.patience()
	if nudge && t.spent() {
		after = u.hub.lim.yield()
	}
	t.waits, t.rest = 0, time.Time{}
	t.wanted(after)
}

// wants is called when the user switches toasts on or off, or pauses until a time in ms. Undelivered toasts
// stay in Redis until toasts are on again. When a pause is over, the streams end, and the next streams receive
// them.
func (u *user) wants(on bool, until int64) {
	changed := false
	for _, c := range u.conns {
		changed = changed || c.toastsOff == on
		c.toastsOff = !on
		if end := time.UnixMilli(until); until > 0 && end.Before(c.endAt) {
			c.endAt = end
		}
	}
	u.switched, u.off = u.hub.cfg.Now(), !on
	switch {
	case changed && on:
		u.returned(false)
	case !on && u.tray != nil:
		u.tray.wanted(0) // decide closes the tray
	}
}
