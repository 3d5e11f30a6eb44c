package live

import (
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// ended ends the streams of a session that has ended.
func (u *user) ended(browser string) {
	for _, c := range u.conns {
		if notifier.Browser(c.session) == browser {
			c.bye(u.hub.jitter(time.Second))
		}
	}
}

// moved is called when the user was moved to another audience. SQL says which one: of two moves the
// later one counts, in whatever order the signals arrive. Until the audience is known, nothing of
// any audience reaches the user. A stream whose session cannot be checked is asked to reconnect, so
// that its handler finds the new audience.
func (u *user) moved() {
	u.unsure = true
	u.moves++
	checked := false
	for _, c := range u.conns {
		if c.session == "" || u.hub.cfg.Sessions == nil {
			c.bye(u.hub.jitter(time.Second))
		} else {
			checked = true
		}
	}
	if checked {
		u.hub.checks.add(u)
	}
}

// joins puts the user into an audience. If it is a new one, the announcements half of the badge
// belongs to the old audience: the badge is read again, and sent even if it is the same, because
// pages show more of an audience than a number. It keeps its version, which browsers know.
func (u *user) joins(a notifier.Audience) {
	if u.audience == a && !u.unsure {
		return
	}
	u.audience, u.unsure, u.fresh, u.placed = a, false, false, true
	u.gen++
	p := soon
	if u.ready != nil {
		p = urgent
	}
	if u.confirmed { // otherwise the confirmation to come has it read
		u.hub.queue.add(u, p)
	}
}

// hears reports whether messages for an audience concern the user.
func (u *user) hears(a notifier.Audience) bool { return u.audience == a && !u.unsure }

// locked calls f holding the lock of the user's shard.
func (u *user) locked(f func()) {
	s := u.hub.shard(u.seq)
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}
