package session

import (
	"context"
	"errors"
	"net/http"

	"github.com/carillonhq/carillon/notifier"
)

// CodePasswordWrong is the code of FieldError for a current password that is not the user's.
const CodePasswordWrong = "password_wrong"

// OwnSessions lists the sessions of a user that are valid, the one seen last first.
func (s *Store) OwnSessions(ctx context.Context, seq int64) ([]notifier.OwnSession, error) {
	return s.sql.OwnSessions(ctx, seq, s.valid())
}

// Fresh returns a new id for a session that goes on, and the cookie with which its browser has it.
func (s *Store) Fresh() (cookie *http.Cookie, id string, err error) {
	value, id, err := s.cookie.issue()
	if err != nil {
		return nil, "", err
	}
	return s.cookie.with(value), id, nil
}

// Confirm checks the password of a user who is signed in, with the limits of Check. A wrong one is a
// *notifier.InvalidError of the field current.
func (g *SignIns) Confirm(r *http.Request, user notifier.User, password, address string) error {
	_, _, err := g.Check(r, user.Name, password, address)
	if errors.Is(err, notifier.ErrUnauthenticated) {
		var bad notifier.InvalidError
		bad.Add("current", CodePasswordWrong, nil)
		return &bad
	}
	return err
}

// Remember returns the cookie by which this browser is known after the user's password has changed; nil: there is
// no key to sign it with.
func (g *SignIns) Remember(user notifier.User, hash string) (*http.Cookie, error) {
	cookie, err := g.devices.remember("", user, hash)
	if errors.Is(err, errNoKey) {
		err = nil
	}
	return cookie, err
}
