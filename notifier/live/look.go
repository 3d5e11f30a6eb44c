package live

import "time"

// longestPause is the longest that a toast rests which nobody acknowledges.
const longestPause = 5 * time.Minute

// look decides what is to be done now, and returns whether to take what waits and
// whether to tell others that something does.
func (t *tray) look(now time.Time) (take, nudge bool) {
	lim := &t.user.hub.lim
	if t.user.tray != t {
		return false, false // given up
	}
	if !t.user.receives() {
		t.user.tray = nil // whoever has him takes what is held here, once it was held long enough
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
		case now.Sub(h.told) >= lim.pause(h.tries): // nobody else wanted it: once more round
			h.again, h.had, take = true, nil, true
		}
	}
	t.taking = take
	if nudge {
		t.nudges = append(t.nudges, now)
	}
	return take, nudge
}

// plan tells the courier when to look again, or that there is nothing more to do.
func (t *tray) plan() {
	u := t.user
	if u.tray != t || t.taking {
		return // it was given up; or the answer to come plans
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

// yield is how long an instance where all had a toast leaves it to others: until those
// who have it now can have given it to another connection of theirs.
func (l *Limits) yield() time.Duration { return l.ToastHold + l.ToastHold/2 }

// pause is how long a toast rests with the last who had it: the longer, the more often
// it was taken in vain.
func (l *Limits) pause(tries int64) time.Duration {
	p := l.ToastHold << min(max(tries-1, 0), 30)
	if p <= 0 || p > max(longestPause, l.ToastHold) {
		return max(longestPause, l.ToastHold)
	}
	return p
}
