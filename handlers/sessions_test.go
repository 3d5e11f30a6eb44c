package handlers_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
)

// signedIn creates a session of alice in this browser and returns its ID.
func (d *databases) signedIn(agent string) string {
	d.t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/login", nil)
	r.Header.Set("User-Agent", agent)
	s, err := d.sessionStore.Get(r, "carillon")
	if err == nil {
		s.Values[notifier.SessionUser] = notifier.Signed{User: alice}
		err = s.Save(r, httptest.NewRecorder())
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return s.ID
}

// ownSessions returns alice's sessions.
func (d *databases) ownSessions() []notifier.OwnSession {
	d.t.Helper()
	all, err := d.accounts.OwnSessions(d.t.Context(), alice.Seq)
	if err != nil {
		d.t.Fatal(err)
	}
	return all
}

func TestUsersChangeTheirPasswordAndEndSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	hash, err := session.HashPassword("first-sesame")
	if err == nil {
		_, err = w.db.SetPassword(t.Context(), alice.Name, hash)
	}
	if err != nil {
		t.Fatal(err)
	}
	here := w.signedIn("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0")
	w.signedIn(firefox)
	w.sessions.current = func(*http.Request) (notifier.Signed, bool, error) {
		return notifier.Signed{User: alice, ID: here}, true, nil
	}
	there := ""
	for _, s := range w.ownSessions() {
		if s.Session != here {
			there = s.ID
		}
	}
	if page := w.get("alice", "/settings?tab=account").wantStatus(t, http.StatusOK).body; !strings.Contains(page, "Firefox on Linux") || !strings.Contains(page, "/settings/sessions/"+there+"/end") {
		t.Error("Settings lacks the session")
	}
	w.post("alice", "/settings/sessions/other/end").wantStatus(t, http.StatusNotFound)
	w.post("alice", "/settings/sessions/"+there+"/end").wantRedirect(t, "/settings?done=session-ended&tab=account")
	if all := w.ownSessions(); len(all) != 1 || all[0].Session != here {
		t.Errorf("the sessions are %+v", all)
	}
	page := w.post("alice", "/settings/password", "current", "wrong-sesame", "password", "second-sesame").wantStatus(t, http.StatusUnprocessableEntity).body
	if !strings.Contains(page, "This is not your current password.") || strings.Contains(page, "sesame") {
		t.Error("a wrong password is not explained, or comes back")
	}
	r := w.post("alice", "/settings/password", "current", "first-sesame", "password", "second-sesame")
	r.wantRedirect(t, "/settings?done=password-changed&tab=account")
	if r.Header.Get("Set-Cookie") == "" {
		t.Error("the session is not renewed")
	}
	here = w.ownSessions()[0].Session // the renewed one
	status := 0
	for tries := 0; tries < 30 && status != http.StatusTooManyRequests; tries++ {
		status = w.post("alice", "/settings/password", "current", "first-sesame", "password", "third-sesame").StatusCode
	}
	if status != http.StatusTooManyRequests {
		t.Errorf("guessing ends with status %d", status)
	}
	here = "a session that has ended"
	w.post("alice", "/settings/password", "current", "second-sesame", "password", "third-sesame").wantStatus(t, http.StatusForbidden)
}
