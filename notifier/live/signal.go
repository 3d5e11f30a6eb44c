package live

import (
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// signal applies a published signal.
func (u *user) signal(s notifier.Signal) {
	if u.hub.cfg.Toasts == nil {
		return
	}
	switch s.Kind {
	case notifier.SignalSeen:
		u.sight(s)
	case notifier.SignalSwitch:
		u.wants(s.On)
	case notifier.SignalToast, notifier.SignalNudge:
		u.told(s.Kind == notifier.SignalNudge)
	}
}

// told is called when a toast waits. It is left to other instances for a moment unless
// the user is active here; and, when some had it in vain, to those who had not.
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

// wants is called when the user switches toasts on or off. What is held stays, for when
// he wants it.
func (u *user) wants(on bool) {
	changed := false
	for _, c := range u.conns {
		changed = changed || c.toastsOff == on
		c.toastsOff = !on
	}
	u.switched, u.off = u.hub.cfg.Now(), !on
	switch {
	case changed && on:
		u.comesBack(false)
	case !on && u.tray != nil:
		u.tray.wanted(0) // look gives it up
	}
}
