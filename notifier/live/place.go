package live

import "time"

// comeBack is the minimum reconnect delay of a stream that was sent away to make room; the maximum
// is twice as long.
const comeBack = 30 * time.Second

// place reports whether the user has a slot for one more stream of this session. When all are in
// use, an older stream is sent away: it most likely belongs to a client that has vanished, such as
// a phone that changed networks, while the proxy has not noticed. A browser has one stream, so a
// stream of the same session goes first. A stream that has just begun is spared, and the one sent
// away is asked to stay away for a while: a user with more browsers than slots has them take turns,
// slowly.
func (u *user) place(session string) bool {
	if u.holds-u.leaving() < u.hub.lim.PerUser {
		return true
	}
	victim := u.oldest(func(c *conn) bool { return session != "" && c.session == session })
	if victim == nil {
		victim = u.oldest(func(*conn) bool { return true })
	}
	if victim == nil {
		return false
	}
	victim.bye(comeBack + u.hub.jitter(comeBack))
	return true
}

// leaving returns how many streams were told to end and have not ended yet.
func (u *user) leaving() (n int) {
	for _, c := range u.conns {
		if c.ending {
			n++
		}
	}
	return n
}

// oldest returns the oldest stream that matches and has been open for Limits.Settle; nil if there
// is none.
func (u *user) oldest(meant func(*conn) bool) *conn {
	settled := u.hub.cfg.Now().Add(-u.hub.lim.Settle)
	for _, c := range u.conns { // in order of arrival
		if c.open() && meant(c) && !c.since.After(settled) {
			return c
		}
	}
	return nil
}
