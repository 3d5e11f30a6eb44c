package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/session"
)

func TestUsersSeeAndEndTheirOwnSessionsOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	here, there, other := w.signIn(t, "erin"), w.signIn(t, "erin"), w.signIn(t, "bob")
	list := func(cookie string) (all []ownSession) {
		t.Helper()
		var a ownSessionsAnswer
		w.call(t, "", "GET", "/me/sessions", nil, "Cookie", cookie).is(t, http.StatusOK).into(t, &a)
		return a.Sessions
	}
	all := list(here)
	if len(all) != 2 || all[0].Current == all[1].Current {
		t.Fatalf("sessions are %+v", all)
	}
	second := all[0]
	if second.Current {
		second = all[1]
	}
	for _, id := range []string{list(other)[0].ID, "0123456789abcdef", "x"} {
		w.call(t, "", "DELETE", "/me/sessions/"+id, nil, "Cookie", here).is(t, http.StatusNotFound)
	}
	w.call(t, "", "DELETE", "/me/sessions/"+second.ID, nil, "Cookie", here).is(t, http.StatusNoContent)
	w.call(t, "", "GET", "/me", nil, "Cookie", there).is(t, http.StatusUnauthorized)
	w.call(t, "", "GET", "/me", nil, "Cookie", other).is(t, http.StatusOK)
	if left := list(here); len(left) != 1 || !left[0].Current {
		t.Errorf("left is %+v", left)
	}
}

func TestAPasswordIsChangedByTheSessionThatItBegan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	hash, err := session.HashPassword("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.store.SetPassword(t.Context(), "erin", hash); err != nil {
		t.Fatal(err)
	}
	here, there := w.signIn(t, "erin"), w.signIn(t, "erin")
	body := func(current, password string) map[string]any {
		return map[string]any{"current": current, "password": password}
	}
	if res := w.call(t, w.bob, "POST", "/me/password", body("correct horse", "battery staple")).is(t, http.StatusForbidden); codeOf(t, res) != "no_password" {
		t.Errorf("a token: %s", res.text)
	}
	for current, password := range map[string]string{"mistyped": "battery staple", "correct horse": "short"} {
		if res := w.call(t, "", "POST", "/me/password", body(current, password), "Cookie", here).is(t, http.StatusUnprocessableEntity); strings.Contains(res.text, current) {
			t.Errorf("the answer repeats a password: %s", res.text)
		}
	}
	res := w.call(t, "", "POST", "/me/password", body("correct horse", "battery staple"), "Cookie", here).is(t, http.StatusNoContent)
	cookie := ""
	for _, c := range res.Header.Values("Set-Cookie") {
		if strings.HasPrefix(c, "carillon=") {
			cookie, _, _ = strings.Cut(c, ";")
		}
	}
	w.call(t, "", "GET", "/me", nil, "Cookie", here).is(t, http.StatusUnauthorized)
	w.call(t, "", "GET", "/me", nil, "Cookie", there).is(t, http.StatusUnauthorized)
	w.call(t, "", "GET", "/me", nil, "Cookie", cookie).is(t, http.StatusOK)
	for range 10 {
		w.call(t, "", "POST", "/me/password", body("mistyped", "battery staple"), "Cookie", cookie)
	}
	w.call(t, "", "POST", "/me/password", body("battery staple", "another one"), "Cookie", cookie).is(t, http.StatusTooManyRequests)
}
