package live

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// maxBrowsers is of how many of a user's browsers it is known whether they show a
// page. Beyond, the one that was active longest ago is forgotten.
const maxBrowsers = 16

// browser is what is known of one of a user's browsers, connected here or not. It is
// guarded by his shard's lock.
type browser struct {
	name    string
	visible bool      // it showed a page
	at      time.Time // when that was heard, or said
	left    time.Time // when its last stream here ended; zero: it has one, or was heard of since
}

// Browser names the browser of a session in a notifier.Signal, where no session's id
// may stand.
func Browser(session string) string {
	if session == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(session))
	return hex.EncodeToString(sum[:8])
}

// sight applies what a browser said of itself, unless something later is known.
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
			u.comesBack(true)
			return
		}
	}
}

// unseen is called when a browser says that it shows no page. What it was given and
// has not acknowledged came when nobody saw it any more.
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

// see notes whether a browser shows a page; false when something later is known.
func (u *user) see(name string, visible bool, at time.Time) bool {
	b := u.known(name)
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

func (u *user) known(name string) *browser {
	if i := slices.IndexFunc(u.browsers, func(b browser) bool { return b.name == name }); i >= 0 {
		return &u.browsers[i]
	}
	return nil
}

// arrive notes what a new stream says of its browser. One that follows another soon is
// of a page that is still seen, or of another page beside it: it says nothing new.
func (u *user) arrive(c *conn) {
	now := u.hub.cfg.Now()
	if !u.switched.IsZero() && now.Sub(u.switched) < u.hub.lim.JoinTimeout {
		c.toastsOff = u.off // it may have asked for its user before he switched
	}
	if c.seen {
		u.see(c.browser, true, now.Truncate(time.Millisecond)) // as others say it
	} else if b := u.known(c.browser); b != nil {
		b.visible = b.visible && (b.left.IsZero() || now.Sub(b.left) < u.hub.lim.Linger)
		b.left = time.Time{}
	}
	b := u.known(c.browser)
	u.comesBack(b != nil && b.visible)
}

// depart notes that a stream has ended.
func (u *user) depart(c *conn) {
	same := func(other *conn) bool { return other.browser == c.browser }
	if b := u.known(c.browser); b != nil && !slices.ContainsFunc(u.conns, same) {
		b.left = u.hub.cfg.Now()
	}
}

// patience is how long a toast is left to other instances: not at all where the browser
// is that showed a page last, a short while ago; long where that is not.
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
