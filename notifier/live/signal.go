package live

import (
	"time"

	"github.com/carillonhq/carillon/notifier"
)

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
			u.told(s.Kind == notifier.SignalNudge)
		}
	}
}

// told is called when a toast waits. The toast is left to other instances for a moment, unless the
// user is active here. A nudge is left longer to others if all connections here had their turn.
func (u *user) told(nudge bool) {
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

// wants is called when the user switches toasts on or off, or pauses until a time in ms. Held toasts stay in
// Redis until the user wants toasts again. When a pause is over, the streams end, and the next ones get them.
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
		u.tray.wanted(0) // look closes the tray
	}
}
