package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/testkit"
)

// signsInTwice gives the user a second session, whose stream is followed.
func signsInTwice(t *testing.T, u *subject) {
	u.second = visit(t, u.two.URL)
	u.second.signIn(t, u.name, "user-secret")
	u.stream = u.second.following(t)
}

// secondSignedOut waits for the end of the second session. The first continues.
func secondSignedOut(t *testing.T, u *subject) {
	ends(t, u.stream)
	testkit.Eventually(t, "the session is over", func() bool { _, out := u.second.visits(t, "/inbox"); return out })
	if _, out := u.here.visits(t, "/inbox"); out {
		t.Error("the session in which it was done is over, too")
	}
}

// me calls the API about the user themselves, with the session of the browser.
func (b browser) me(t *testing.T, method, path, body string) (answer []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, b.base+"/api/v1/me"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := b.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if answer, err = io.ReadAll(res.Body); err != nil || res.StatusCode >= http.StatusBadRequest {
		t.Fatalf("%s %s: %s %s %v", method, path, res.Status, answer, err)
	}
	return answer
}

// otherSession returns the id of the session that the browser does not use.
func (u *subject) otherSession(t *testing.T) string {
	t.Helper()
	var all struct {
		Sessions []struct {
			ID      string
			Current bool
		}
	}
	if err := json.Unmarshal(u.here.me(t, http.MethodGet, "/sessions", ""), &all); err != nil || len(all.Sessions) != 2 {
		t.Fatalf("sessions %+v, %v", all, err)
	}
	for _, s := range all.Sessions {
		if !s.Current {
			return s.ID
		}
	}
	return ""
}
