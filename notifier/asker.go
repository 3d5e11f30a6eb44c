package notifier

import "time"

// tokenGrace is how much longer than its token a stream may live, so that a client can open the next
// one before this one ends.
const tokenGrace = time.Minute

// Asker is the user who makes a request, and how they are known.
type Asker struct {
	User    User
	Session string     // what their streams and toasts depend on: a session's ID, or the text of a TokenSession
	Token   *UserToken // nil: a session, or a proxy, says who they are
	Proxied bool       // a proxy says who they are: they sign out there
	Copy    int64      // identifies the copy of User, which is another one after each change of the user
	Until   time.Time  // their streams end by then, so that the proxy is asked again; zero: no such limit
}

// Reader returns the user as a reader of announcements.
func (a *Asker) Reader() Reader { return Reader{Seq: a.User.Seq, Audience: a.User.Audience} }

// ReadOnly reports whether the user may look and change nothing.
func (a *Asker) ReadOnly() bool { return a.Token != nil && a.Token.ReadOnly }

// Stream describes the event stream of a page that asks now. One that may change nothing takes no toasts from
// the user's own pages. One that begins in a pause ends with it, so that the next gets the toasts that were held.
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

// ProxiedUser is a user whom a proxy or an identity provider has signed in.
type ProxiedUser struct {
	Name     string  // their id
	Display  *string // their name for people; nil: unknown
	Email    *string // where they get mail; nil: unknown
	Zone     *string // their time zone; nil: unknown
	Notes    ProfileNotes
	Audience Audience // of a new user
}
