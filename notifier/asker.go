package notifier

import "time"

// tokenGrace is how long a stream may outlive its token, so that a client can open the next stream
// before this one ends.
const tokenGrace = time.Minute

// Asker is the user who makes a request, and how they were authenticated.
type Asker struct {
	User    User
	Session string     // key of their streams and toasts: a session's ID, or the text of a TokenSession
	Token   *UserToken // nil: authenticated by a session or a proxy
	Proxied bool       // authenticated by a proxy, which also signs them out
	Copy    int64      // identifies the copy of User; changes with each change of the user
	Until   time.Time  // their streams end by then, so that the proxy checks them again; zero: no limit
}

// Reader returns the user as a reader of announcements.
func (a *Asker) Reader() Reader { return Reader{Seq: a.User.Seq, Audience: a.User.Audience} }

// ReadOnly reports whether the user may only read.
func (a *Asker) ReadOnly() bool { return a.Token != nil && a.Token.ReadOnly }

// Stream describes the event stream of a page opened now. A read-only stream gets no toasts, so
// that they remain for the user's own pages. A stream opened during a pause ends with it, so that the next one gets the held toasts.
func (a *Asker) Stream(visible, toasts bool, now time.Time) StreamOf {
	of := StreamOf{
		Session: a.Session, Visible: visible && !a.ReadOnly(), ToastsOff: a.User.ToastsOff, NoToasts: !toasts || a.ReadOnly(), Until: a.Until,
	}
	if a.Token != nil {
		of.Until = a.Token.Expires.Add(tokenGrace)
	}
	if paused := a.User.PausedUntil(now); !paused.IsZero() {
		of.ToastsOff = true
		if of.Until.IsZero() || paused.Before(of.Until) {
			of.Until = paused
		}
	}
	return of
}

// ProxiedUser is a user signed in by a proxy or an identity provider.
type ProxiedUser struct {
	Name     string  // their id
	Display  *string // their display name; nil: unknown
	Email    *string // their mail address; nil: unknown
	Zone     *string // their time zone; nil: unknown
	Notes    ProfileNotes
	Audience Audience // of a new user
}
