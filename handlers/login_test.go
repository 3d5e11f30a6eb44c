package handlers_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/carillonhq/carillon/handlers"
	"github.com/carillonhq/carillon/notifier"
)

func TestSigningInRedirectsToTheRequestedPage(t *testing.T) {
	t.Parallel()
	var who []string
	w := newWorld(t, func(w *world) {
		w.config.SignIns = signIns(func(username, password, _ string) (notifier.User, error) {
			if username == "alice" && password == "right" {
				return alice, nil
			}
			return notifier.User{}, notifier.ErrUnauthenticated
		})
		w.sessions.signIn = func(u notifier.User) error {
			who = append(who, u.Name)
			return nil
		}
	})
	for next, want := range map[string]string{
		"/staff/send?to=a%20b":    "/staff/send?to=a%20b",
		"":                        "/inbox",
		"//evil.example":          "/inbox",
		"///evil.example":         "/inbox",
		"/\\evil.example":         "/inbox",
		"/\t/evil.example":        "/inbox",
		"https://evil.example":    "/inbox",
		"javascript:alert(1)":     "/inbox",
		"evil.example":            "/inbox",
		"/%2fevil.example":        "/inbox",
		"/inbox\r\nSet-Cookie: a": "/inbox",
	} {
		w.post("", "/login", "username", "alice", "password", "right", "next", next).wantRedirect(t, want)
	}
	// The browser's session is never reused, not even for the same user: the fake would refuse to save it.
	w.post("alice", "/login", "username", "alice", "password", "right").wantRedirect(t, "/inbox")
	if len(who) != 12 || who[0] != "alice" {
		t.Errorf("signed in: %v", who)
	}
	w.get("alice", "/login?next=/settings").wantRedirect(t, "/settings")
}

func TestWrongPasswordShowsTheFormAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	r := w.post("", "/login", "username", `al"ice`, "password", "secret", "next", "/settings")
	r.wantStatus(t, http.StatusUnprocessableEntity)
	r.wantText(t, "#login-fault", "Wrong username or password.")
	if r.attr("#username", "value") != `al"ice` || r.attr("#password", "value") != "" || r.attr("[name=next]", "value") != "/settings" {
		t.Error("the form lost the name or the target, or contains the password")
	}
	if r.attr("#username", "aria-describedby") != "login-fault" {
		t.Error("the error is not tied to the field")
	}
	r = w.post("", "/login", "username", "a\xff\x00b", "password", "x").wantStatus(t, http.StatusUnprocessableEntity)
	if got := r.attr("#username", "value"); got != "a\ufffd\ufffdb" {
		t.Errorf("the name is %q", got)
	}
	w.postBody("", "/login", "username=a&username=b&password=c").wantStatus(t, http.StatusUnprocessableEntity)
	w.postBody("", "/login", "username=a&password=c&more=1").wantStatus(t, http.StatusUnprocessableEntity)
}

func TestTooManyAttemptsAre429WithRetryAfter(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.config.SignIns = signIns(func(string, string, string) (notifier.User, error) {
			return notifier.User{}, fmt.Errorf("check: %w", &notifier.TooManyError{RetryAfter: 61 * time.Second})
		})
	})
	r := w.post("", "/login", "username", "alice", "password", "x").wantStatus(t, http.StatusTooManyRequests)
	if r.Header.Get("Retry-After") != "61" {
		t.Errorf("Retry-After is %q", r.Header.Get("Retry-After"))
	}
	r.wantText(t, "#login-fault", "Too many attempts. Please try again in 2 minutes.")
	if r.attr("#username", "value") != "alice" {
		t.Error("the name is lost")
	}
}

func TestSigningInWithoutSQLIs503(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.config.SignIns = signIns(func(string, string, string) (notifier.User, error) {
			return notifier.User{}, notifier.ErrUnavailable
		})
	})
	w.post("", "/login", "username", "alice", "password", "x").wantStatus(t, http.StatusServiceUnavailable)
}

func TestSigningInSetsTheSessionAndDeviceCookies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acting)
	w.sessions.signInCookie = &http.Cookie{Name: "carillon", Value: "session"}
	var set []string
	for _, c := range w.post("", "/login", "username", "carol", "password", "secret").wantStatus(t, http.StatusSeeOther).Cookies() {
		set = append(set, c.Name+"="+c.Value)
	}
	if want := "[carillon=session carillon_device=of carol]"; fmt.Sprint(set) != want { // simple clients use only the first
		t.Errorf("cookies are %v; want %s", set, want)
	}
	w = newWorld(t, nil)
	if set := w.post("", "/login", "username", "carol", "password", "wrong").Cookies(); len(set) != 0 {
		t.Errorf("a wrong password sets %v", set)
	}
}

func TestDemoOffersEachUserWithOneClick(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.config.Demo = []handlers.DemoUser{{Name: "alice", Password: "pw-a"}, {Name: "carol", Password: "pw-c", Staff: true}}
	})
	r := w.get("", "/login?next=/settings").wantStatus(t, http.StatusOK)
	forms := r.page.Find("form[data-testid=demo]")
	if forms.Length() != 2 {
		t.Fatalf("%d forms", forms.Length())
	}
	second := forms.Eq(1)
	if second.AttrOr("action", "") != "/login" || second.Find("[name=username]").AttrOr("value", "") != "carol" ||
		second.Find("[name=password]").AttrOr("value", "") != "pw-c" || second.Find("[name=next]").AttrOr("value", "") != "/settings" {
		t.Error("the form does not sign carol in")
	}
	r.wantText(t, "form[data-testid=demo]:has([value=alice]) .hint", "Runs the shop. Sends notifications and sees who has read them.")
	if newWorld(t, nil).get("", "/login").count("form[data-testid=demo]") != 0 {
		t.Error("demo users are shown outside a demo")
	}
}

func TestSigningOutHereAndEverywhere(t *testing.T) {
	t.Parallel()
	var did []string
	w := newWorld(t, func(w *world) {
		w.sessions.signOut = func() error {
			did = append(did, "here")
			return nil
		}
	})
	w.signedIn(firefox)
	w.post("alice", "/logout").wantRedirect(t, "/login?done=signed-out")
	if n := len(w.ownSessions()); n != 1 {
		t.Errorf("%d sessions elsewhere, want 1", n)
	}
	w.post("alice", "/logout", "everywhere", "1").wantRedirect(t, "/login?done=signed-out")
	w.post("", "/logout", "everywhere", "1").wantRedirect(t, "/login?done=signed-out")
	if n := len(w.ownSessions()); n != 0 || fmt.Sprint(did) != "[here here here]" {
		t.Errorf("%d sessions elsewhere; did %v", n, did)
	}
	w.get("", "/login?done=signed-out").wantText(t, "[data-testid=done]", "You are signed out.")
}

func TestAfterAWrongPasswordTheFocusIsOnTheFieldToRetype(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for name, field := range map[string]string{"alice": "password", "": "username"} {
		r := w.post("", "/login", "username", name, "password", "x").wantStatus(t, http.StatusUnprocessableEntity)
		if got := r.attr("[autofocus]", "id"); got != field || r.count("[autofocus]") != 1 {
			t.Errorf("with name %q the focus is on %q, want %s", name, got, field)
		}
	}
	if n := w.get("", "/login").count("[autofocus]"); n != 0 {
		t.Errorf("%d fields take the focus, although the user may want a demo user", n)
	}
}
