package handlers_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/identity"
	"github.com/carillonhq/carillon/notifier"
)

// provider is an identity provider with responses set by the test.
type provider struct {
	signed   notifier.Signed
	next     string
	err      error // of Finish
	leave    string
	leaveErr error
}

func (p *provider) Host() string { return "login.example.com" }

func (p *provider) Begin(_ context.Context, next string) (string, *http.Cookie, error) {
	return "https://login.example.com/authorize?next=" + next, &http.Cookie{Name: "begun"}, p.err
}

func (p *provider) Finish(*http.Request) (notifier.Signed, string, error) {
	return p.signed, p.next, p.err
}

func (p *provider) Used() *http.Cookie { return &http.Cookie{Name: "begun", MaxAge: -1} }

func (p *provider) Leave(context.Context, string) (string, error) { return p.leave, p.leaveErr }

// refusing refuses sign-ins after too many failures.
type refusing struct{ signIns }

func (refusing) Attempt(context.Context, string) (func(), error) {
	return nil, &notifier.TooManyError{RetryAfter: 61 * time.Second}
}

// counting counts the attempts that were not taken back.
type counting struct {
	signIns
	failed *int
}

func (c counting) Attempt(context.Context, string) (func(), error) {
	*c.failed++
	return func() { *c.failed-- }, nil
}

func withProvider(t *testing.T, p *provider, tweak func(*world)) *world {
	t.Helper()
	return newWorld(t, func(w *world) {
		w.config.Provider = p
		if tweak != nil {
			tweak(w)
		}
	})
}

const back = "/login/oidc/callback?code=c&state=s"

func TestWhatTheProviderRefusesIsSaidOnThePageToSignIn(t *testing.T) {
	t.Parallel()
	failed := 0
	for _, test := range []struct {
		err    error
		status int
		words  string
		counts int // counts as a failed sign-in
	}{
		{identity.ErrAway, http.StatusServiceUnavailable, "login.example.com isn't answering right now. Try again in a moment.", 0},
		{identity.ErrStale, http.StatusBadRequest, "That took too long, or began in another browser. Try again.", 0},
		{identity.ErrRefused, http.StatusForbidden, "login.example.com didn't sign you in.", 1},
		{identity.ErrToken, http.StatusForbidden, "couldn't be verified", 1},
		{identity.ErrName, http.StatusForbidden, "didn't send a name", 1},
	} {
		failed = 0
		p := &provider{err: fmt.Errorf("%w: detail", test.err), next: "/settings"}
		w := withProvider(t, p, func(w *world) { w.config.SignIns = counting{failed: &failed} })
		r := w.get("", back).wantStatus(t, test.status)
		if got := r.text("[data-testid=provider-fault]"); !strings.Contains(got, test.words) || strings.Contains(r.body, "detail") {
			t.Errorf("%v: %q", test.err, got)
		}
		if link := r.attr("[data-testid=provider] a", "href"); link != "/login/oidc?next=%2Fsettings" {
			t.Errorf("%v: it leads on to %q", test.err, link)
		}
		if failed != test.counts {
			t.Errorf("%v: %d failures are counted, want %d", test.err, failed, test.counts)
		}
		if kept := len(r.Cookies()) == 0; kept != errors.Is(test.err, identity.ErrStale) {
			t.Errorf("%v: the cookie of another page to sign in is kept: %v", test.err, kept)
		}
	}
	p := &provider{signed: notifier.Signed{User: alice}, next: "//evil.example"}
	w := withProvider(t, p, func(w *world) {
		w.config.SignIns = counting{failed: &failed}
		w.sessions.signIn = func(notifier.User) error { return nil }
	})
	failed = 0
	w.get("", back).wantRedirect(t, "/inbox")
	if failed != 0 {
		t.Error("a sign-in counts as a failure")
	}
}

func TestAnOldAnswerLeadsSignedInUsersToTheirInbox(t *testing.T) {
	t.Parallel()
	w := withProvider(t, &provider{err: identity.ErrStale}, nil)
	w.get("alice", back).wantRedirect(t, "/inbox")
}

func TestTooManyAnswersThatFailAre429(t *testing.T) {
	t.Parallel()
	w := withProvider(t, &provider{signed: notifier.Signed{User: alice}}, func(w *world) { w.config.SignIns = refusing{} })
	r := w.get("", back).wantStatus(t, http.StatusTooManyRequests)
	r.wantText(t, "[data-testid=provider-fault]", "Too many attempts. Please try again in 2 minutes.")
	if r.Header.Get("Retry-After") != "61" {
		t.Errorf("Retry-After is %q", r.Header.Get("Retry-After"))
	}
}

func TestSigningOutWhileTheProviderIsAwayShowsAMessage(t *testing.T) {
	t.Parallel()
	ended := 0
	w := withProvider(t, &provider{leaveErr: identity.ErrAway}, func(w *world) {
		w.sessions.signOut = func() error { ended++; return nil }
	})
	w.post("alice", "/logout").wantRedirect(t, "/login?done=signed-out-here")
	if ended != 1 {
		t.Errorf("%d sessions have ended", ended)
	}
	w.get("", "/login?done=signed-out-here").wantText(t, "[data-testid=done]", "You are signed out here. Your identity provider isn't answering, so you may still be signed in there.")
}
