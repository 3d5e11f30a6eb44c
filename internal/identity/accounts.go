package identity

import (
	"context"
	"fmt"
	"net/http"

	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/person"
	"github.com/carillonhq/carillon/store"
)

// Accounts is what users do with their own sessions and passwords, for pages and API alike.
type Accounts struct {
	People       *person.People
	Sessions     *session.Sessions
	SignIns      *session.SignIns
	Users        *store.Store
	PasswordsOff bool // no user signs in by a password
}

// OwnSessions lists the sessions of a user, the one seen last first.
func (a Accounts) OwnSessions(ctx context.Context, seq int64) ([]notifier.OwnSession, error) {
	return a.Sessions.OwnSessions(ctx, seq)
}

// EndSession ends one of them; see notifier/person. It returns notifier.ErrNotFound for an id that is not of a session of this user.
func (a Accounts) EndSession(ctx context.Context, by notifier.Actor, u notifier.User, id string) error {
	return a.People.EndSession(ctx, by, u, id)
}

// EndAllSessions ends all of them; see notifier/person.
func (a Accounts) EndAllSessions(ctx context.Context, by notifier.Actor, u notifier.User) error {
	return a.People.EndAllSessions(ctx, by, u)
}

// HasPassword reports whether a user is signed in by a password, which they may change.
func (a Accounts) HasPassword(ctx context.Context, who notifier.Asker) (bool, error) {
	if a.PasswordsOff || who.Token != nil || who.Proxied {
		return false, nil
	}
	_, hash, err := a.Users.Credentials(ctx, who.User.Name)
	if err != nil || hash == "" {
		return false, err
	}
	all, err := a.Sessions.OwnSessions(ctx, who.User.Seq)
	for i := range all {
		if all[i].Session == who.Session {
			return !all[i].Provided, nil
		}
	}
	return false, err
}

// ChangePassword changes the password of the user who makes a request, and returns the cookies of their browser. A fault of a
// password is a *notifier.InvalidError of the field current or password. It returns notifier.ErrNoPassword, and
// notifier.ErrTooMany after too many wrong ones.
func (a Accounts) ChangePassword(r *http.Request, who notifier.Asker, address, current, password string) ([]*http.Cookie, error) {
	ctx, u := r.Context(), who.User
	has, err := a.HasPassword(ctx, who)
	if err != nil {
		return nil, err
	}
	if !has {
		return nil, notifier.ErrNoPassword
	}
	if err := a.SignIns.Confirm(r, u, current, address); err != nil {
		return nil, err
	}
	hash, err := session.HashPassword(password)
	if err != nil {
		return nil, err
	}
	cookie, id, err := a.Sessions.Fresh()
	if err != nil {
		return nil, fmt.Errorf("change the password of user %d: %w", u.Seq, err)
	}
	if err := a.People.ChangePassword(ctx, notifier.Actor{Ref: notifier.UserRef(u), Address: address}, u, hash, who.Session, id); err != nil {
		return nil, err
	}
	known, err := a.SignIns.Remember(u, hash)
	if err != nil || known == nil {
		return []*http.Cookie{cookie}, err
	}
	return []*http.Cookie{cookie, known}, nil
}
