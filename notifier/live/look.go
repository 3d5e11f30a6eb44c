package live

import "time"

// longestPause is the longest pause before an unacknowledged toast is tried again.
const longestPause = 5 * time.Minute

// look decides what to do now. It returns whether to take waiting toasts, and whether to tell other
// instances about them.
func (t *tray) look(now time.Time) (take, nudge bool) {
	lim := &t.user.hub.lim
	if t.user.tray != t {
		return false, false // closed
	}
	if !t.user.receives() {
		t.user.tray = nil // another instance with this user takes the held toasts once the hold has expired
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
		case h.told.IsZero():
			if rested >= lim.pause(h.tries) {
				h.told, nudge = now, true
			}
		case now.Sub(h.told) >= lim.pause(h.tries): // no other instance took it: begin another round
			h.again, h.had, take = true, nil, true
		}
	}
	t.taking = take
	if nudge {
		t.nudges = append(t.nudges, now)
	}
	return take, nudge
}

// plan schedules the next look, or closes the tray when nothing is left to do.
func (t *tray) plan() {
	u := t.user
	if u.tray != t || t.taking {
		return // closed, or the reply to come plans
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
		case h.told.IsZero():
			at = at.Add(lim.pause(h.tries))
		default:
			at = h.told.Add(lim.pause(h.tries))
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

// yield returns how long an instance leaves toasts to others after all its connections had them:
// until those that hold them now can have given them to another connection.
func (l *Limits) yield() time.Duration { return l.ToastHold + l.ToastHold/2 }

// pause returns how long a toast rests after all connections had it; it grows with the number of
// failed attempts.
func (l *Limits) pause(tries int64) time.Duration {
	p := l.ToastHold << min(max(tries-1, 0), 30)
	if p <= 0 || p > max(longestPause, l.ToastHold) {
		return max(longestPause, l.ToastHold)
	}
	return p
}
