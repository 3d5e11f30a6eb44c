package channels

import (
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// The prospects of an unread notice at a target.
const (
	Told     = "told"     // decided: it was sent, or was read before
	Waits    = "waits"    // for its delay
	Daily    = "daily"    // for the daily mail
	Quiet    = "quiet"    // for the end of the quiet hours
	Paused   = "paused"   // for the end of the user's pause
	Failing  = "failing"  // for a service that refuses messages or cannot be reached
	Dead     = "dead"     // the address does not exist
	Off      = "off"      // the target is switched off
	Unwanted = "unwanted" // the user wants no notices of this type there
	Younger  = "younger"  // the target was added after the notice arrived
)

// Prospect is what becomes of an unread notice at a target. Until is when it is to be sent, and zero if no time is known.
type Prospect struct {
	State string
	Until time.Time
}

// ProspectOf returns the prospect of an unread notice of this type that arrived at (a value of Entry.At), as the next rounds
// will decide if nothing changes.
func ProspectOf(d *notifier.ReachDue, typ *notifier.NoticeType, slug string, at int64, now time.Time) Prospect {
	added := d.CreatedAt.UnixMilli()
	switch {
	case at <= d.Told && added < at && wanted(d, typ, slug) && d.State != notifier.ReachDead:
		return Prospect{State: Told} // even if it was switched off since
	case d.Off || d.State == notifier.ReachOff:
		return Prospect{State: Off}
	case !wanted(d, typ, slug):
		return Prospect{State: Unwanted}
	case d.State == notifier.ReachDead:
		return Prospect{State: Dead}
	case at <= max(d.Told, d.Since) && added >= at:
		return Prospect{State: Younger}
	case at <= max(d.Told, d.Since) || typ.Urgent && at <= d.ToldUrgent:
		return Prospect{State: Told}
	case d.State == notifier.ReachFailing || !d.HeldSince.IsZero():
		return Prospect{State: Failing}
	}
	p := Prospect{Waits, time.UnixMilli(at).Add(d.Wait)}
	if typ.Urgent {
		return p
	}
	zone := notifier.Location(d.Zone)
	if d.Daily >= 0 {
		p = Prospect{Daily, notifier.Next(d.Daily, time.UnixMilli(at), zone)}
	}
	if d.DueAt.After(now) && d.DueAt.Before(p.Until) {
		p.Until = d.DueAt // together with an earlier notice
	}
	from := p.Until
	if from.Before(now) {
		from = now
	}
	if quiet := d.Quiet.Until(from, zone); quiet.After(p.Until) {
		p = Prospect{Quiet, quiet}
	}
	if paused := d.User.PausedUntil(from); paused.After(p.Until) {
		p = Prospect{Paused, paused}
	}
	return p
}

// Reaches reports whether a target sends notices of this type.
func Reaches(d *notifier.ReachDue, typ *notifier.NoticeType, slug string) bool {
	return !d.Off && d.State != notifier.ReachOff && d.State != notifier.ReachDead && wanted(d, typ, slug)
}
