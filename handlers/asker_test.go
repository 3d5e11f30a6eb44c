package handlers_test

import (
	"net/http"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

type who func(r *http.Request) (notifier.Asker, error)

func (w who) Find(r *http.Request) (notifier.Asker, error) { return w(r) }

// A token acts for a user of an app: it opens their pages, but no staff pages, and if it is read-only, no pages at
// all.
func TestTokensOpenNoStaffPages(t *testing.T) {
	t.Parallel()
	token, err := &notifier.UserToken{}, error(nil)
	w := newWorld(t, func(w *world) {
		w.config.Who = who(func(*http.Request) (notifier.Asker, error) { return notifier.Asker{User: alice, Token: token}, err })
	})
	w.get("alice", "/inbox").wantStatus(t, http.StatusOK)
	w.get("alice", "/staff").wantStatus(t, http.StatusNotFound)
	w.post("alice", "/send", "title", "x").wantStatus(t, http.StatusNotFound)
	token.ReadOnly = true
	w.get("alice", "/inbox").wantStatus(t, http.StatusForbidden)
	err = &notifier.TokenError{Code: notifier.TokenExpired}
	w.get("alice", "/inbox").wantStatus(t, http.StatusUnauthorized)
	err = notifier.ErrAmbiguous
	w.get("alice", "/inbox").wantStatus(t, http.StatusBadRequest)
}
