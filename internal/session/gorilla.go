package session

import (
	"fmt"
	"net/http"

	"github.com/gorilla/sessions"

	"github.com/carillonhq/carillon/notifier"
)

// UserKey is the key of the only value in a session: the notifier.User.
const UserKey = "user"

var _ sessions.Store = (*Store)(nil)

// Get returns the session of a request, the same one at every call.
func (s *Store) Get(r *http.Request, name string) (*sessions.Session, error) {
	return sessions.GetRegistry(r).Get(s, name)
}

// New returns the session that r carries, or a new one that is not saved yet. A browser has one
// session, whatever its name. On an error SQL is away, and the session is a new one.
func (s *Store) New(r *http.Request, name string) (*sessions.Session, error) {
	session := sessions.NewSession(s, name)
	options := s.cookie.options
	session.Options = &options
	session.IsNew = true
	signed, ok, err := s.Current(r)
	if ok {
		session.ID, session.IsNew = signed.ID, false
		session.Values[UserKey] = signed.User
	}
	return session, err
}

// Save applies the session: a user who was not signed in before is signed in with a new id, and a
// negative MaxAge signs out. It rejects values other than the user, because they would be lost.
func (s *Store) Save(r *http.Request, w http.ResponseWriter, session *sessions.Session) error {
	if session.Options != nil && session.Options.MaxAge < 0 {
		return s.SignOut(w, r)
	}
	for key := range session.Values {
		if key != UserKey {
			return fmt.Errorf("save a session: unsupported value %v", key)
		}
	}
	user, ok := session.Values[UserKey].(notifier.User)
	if !ok {
		return nil // no user signed in: nothing to save
	}
	signed, live, err := s.Current(r)
	if err != nil {
		return err
	}
	if live && signed.User.Seq == user.Seq {
		return nil
	}
	return s.SignIn(w, r, user)
}
