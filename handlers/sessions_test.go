package handlers_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestUsersChangeTheirPasswordAndEndSessions(t *testing.T) {
	t.Parallel()
	a := &accounts{}
	w := newWorld(t, func(w *world) { w.config.Accounts = a })
	if page := w.get("alice", "/settings").wantStatus(t, http.StatusOK).body; !strings.Contains(page, "Firefox on Linux") || !strings.Contains(page, "/settings/sessions/a1/end") {
		t.Error("Settings lacks the session")
	}
	w.post("alice", "/settings/sessions/a1/end").wantRedirect(t, "/settings?done=session-ended")
	if r := w.post("alice", "/settings/password", "current", "one", "password", "two"); r.Header.Get("Set-Cookie") == "" {
		t.Error("the session is not renewed")
	} else {
		r.wantRedirect(t, "/settings?done=password-changed")
	}
	if want := "[7 ends a1 of alice alice changes one to two]"; fmt.Sprint(a.did) != want {
		t.Errorf("did %v, want %s", a.did, want)
	}
	var bad notifier.InvalidError
	bad.Add("current", "password_wrong", nil)
	a.err = &bad
	page := w.post("alice", "/settings/password", "current", "sesame-1", "password", "sesame-2").wantStatus(t, http.StatusUnprocessableEntity).body
	if !strings.Contains(page, "This is not your current password.") || strings.Contains(page, "sesame") {
		t.Error("a wrong password is not explained, or comes back")
	}
	a.err = &notifier.TooManyError{}
	w.post("alice", "/settings/password", "current", "one", "password", "two").wantStatus(t, http.StatusTooManyRequests)
	a.err = notifier.ErrNotFound
	w.post("alice", "/settings/sessions/other/end").wantStatus(t, http.StatusNotFound)
	a.err = errors.Join(notifier.ErrNoPassword)
	w.post("alice", "/settings/password", "current", "one", "password", "two").wantStatus(t, http.StatusForbidden)
}
