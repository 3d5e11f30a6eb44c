package session

import (
	"fmt"
	"net/http"

	"github.com/gorilla/sessions"

	"github.com/carillonhq/carillon/notifier"
)

var _ sessions.Store = (*Sessions)(nil)

// Get returns the session of a request, the same one at every call.
func (s *Sessions) Get(r *http.Request, name string) (*sessions.Session, error) {
	return sessions.GetRegistry(r).Get(s, name)
}

// New returns the session that r carries, or a new one, which has no ID and no user. A browser has one session,
// whatever its name. A cookie that is missing, forged, truncated, too long or of an ended session carries none. The
// error is a notifier.ErrUnavailable: SQL is unavailable, and Redis has no copy of the session.
func (s *Sessions) New(r *http.Request, name string) (*sessions.Session, error) {
	session := sessions.NewSession(s, name)
	options := s.cookie.options
	session.Options = &options
	signed, ok, err := s.current(r)
	if session.IsNew = !ok; ok {
		session.ID, session.Values[notifier.SessionUser] = signed.ID, signed
	}
	return session, err
}

// Save applies a session. A negative MaxAge ends it and clears the cookie. If the session has no ID or another user
// than before, a session of this user begins with a new ID, and the session that r carries ends. A session without a
// user is not saved. Save rejects values other than the user, because they would be lost.
func (s *Sessions) Save(r *http.Request, w http.ResponseWriter, session *sessions.Session) error {
	if session.Options.MaxAge < 0 {
		return s.signOut(w, r)
	}
	for key := range session.Values {
		if key != notifier.SessionUser {
			return fmt.Errorf("save a session: unsupported value %v", key)
		}
	}
	saved, ok := session.Values[notifier.SessionUser].(notifier.Signed)
	if !ok {
		return nil // no user signed in: nothing to save
	}
	if session.ID != "" {
		signed, live, err := s.current(r)
		if err != nil || live && signed.User.Seq == saved.User.Seq {
			return err
		}
	}
	id, err := s.signIn(w, r, saved)
	if err == nil {
		session.ID, session.IsNew = id, false
	}
	return err
}
