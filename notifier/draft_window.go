package notifier

import "time"

// checkWindow sets a missing start and end of an announcement's window, rounds both to
// the millisecond, and checks them. given is the expiry that the sender set; it is the
// length of a window without an end. Other notices have no window.
func (d *Draft) checkWindow(given time.Duration, l Limits, bad *InvalidError) {
	if len(d.Target.Audiences) == 0 {
		d.Window = Window{}
		return
	}
	if l.Now.IsZero() {
		return
	}
	now := l.Now.UTC().Truncate(time.Millisecond)
	if d.StartsAt.IsZero() {
		d.StartsAt = now
	}
	d.StartsAt = d.StartsAt.UTC().Truncate(time.Millisecond)
	ends := "ends_at"
	if d.EndsAt.IsZero() {
		ends = "starts_at" // the end follows from the start
		length := l.Keep
		if given > 0 {
			length = min(given, l.Keep) // a longer expiry is reported by checkExpiry
		}
		d.EndsAt = d.StartsAt.Add(length)
	}
	d.EndsAt = d.EndsAt.UTC().Truncate(time.Millisecond)
	switch {
	case d.StartsAt.After(now.Add(l.Keep)):
		bad.Add("starts_at", CodeStartsLate, lateParams(l.Keep))
	case !d.EndsAt.After(now):
		bad.Add(ends, CodeEndsPast, nil)
	case !d.EndsAt.After(d.StartsAt):
		bad.Add("ends_at", CodeEndsBefore, nil)
	case d.EndsAt.After(d.StartsAt.Add(l.Keep)):
		bad.Add("ends_at", CodeEndsLate, lateParams(l.Keep))
	}
}

func lateParams(keep time.Duration) map[string]any {
	return map[string]any{"Max": keep.String(), "Days": int64(keep / (24 * time.Hour))}
}
