package handlers_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// targets is a fake with one target, whose token is "t".
type targets struct {
	ended []string
	has   notifier.Preferences
	set   []notifier.PutPreferences
	state notifier.ReachState // of the address

	failing time.Time // since when the address fails
	revived []string  // the actors and users of revivals
	err     error     // of listing faults
}

func (f *targets) Preferences(context.Context, string) (notifier.Preferences, error) {
	return f.has, nil
}

func (f *targets) SetPreferences(_ context.Context, _ notifier.Actor, _ string, set notifier.PutPreferences) (notifier.Preferences, error) {
	if set.Change != nil {
		set.Types, set.Change = set.Change(f.has.Types), nil
	}
	if err := set.Validate(func(string) bool { return true }); err != nil {
		return f.has, err
	}
	f.set = append(f.set, set)
	return f.has, nil
}

func (f *targets) MailOf(context.Context, int64) (notifier.Mailbox, error) {
	return notifier.Mailbox{Address: "alice@example.com", State: f.state, FailingSince: f.failing}, nil
}

func (f *targets) MailFaults(_ context.Context, seqs []int64) (map[int64]notifier.ReachState, error) {
	found := map[int64]notifier.ReachState{}
	if slices.Contains(seqs, alice.Seq) {
		found[alice.Seq] = f.state
	}
	return found, f.err
}

func (f *targets) ReviveMailOf(_ context.Context, by notifier.Actor, name string) (bool, error) {
	if name != "alice" && name != "bob" {
		return false, notifier.ErrNotFound
	}
	f.revived = append(f.revived, by.Name+" "+name)
	return name == alice.Name, nil
}

func (f *targets) Unsubscribe(_ context.Context, token, address string) error {
	if token != "t" {
		return notifier.ErrNotFound
	}
	f.ended = append(f.ended, address)
	return nil
}

func TestOneClickUnsubscribesWithoutASession(t *testing.T) {
	t.Parallel()
	var f targets
	w := newWorld(t, func(w *world) { w.config.Reach = &f })
	p := w.get("", "/u/t").wantStatus(t, http.StatusOK)
	if p.attr("main form", "action") != "/u/t" || p.attr("main form", "method") != "post" || p.page.Find("main form button").Length() != 1 {
		t.Errorf("no form: %s", p.body)
	}
	w.do(httptest.NewRequest(http.MethodHead, "/u/t", nil), "").wantStatus(t, http.StatusOK)
	if len(f.ended) > 0 {
		t.Error("looking at the page unsubscribes")
	}
	r := w.postBody("", "/u/t", "List-Unsubscribe=One-Click", "Origin", "https://mail.example", "Sec-Fetch-Site", "cross-site").wantStatus(t, http.StatusOK)
	if len(f.ended) != 1 || len(r.Cookies()) > 0 || r.text("h1") != "You are unsubscribed" {
		t.Errorf("%v, cookies %v: %s", f.ended, r.Cookies(), r.body)
	}
	w.postBody("alice", "/settings", "theme=dark", "Origin", "https://mail.example", "Sec-Fetch-Site", "cross-site").wantStatus(t, http.StatusForbidden)
}

func TestGuessingTokensIsLimited(t *testing.T) {
	t.Parallel()
	var f targets
	w := newWorld(t, func(w *world) { w.config.Reach = &f })
	from := func(method, path, address string) int {
		r := httptest.NewRequest(method, path, nil)
		r.RemoteAddr = address
		return w.do(r, "").StatusCode
	}
	var got []int
	for i := range 24 {
		method := []string{"GET", "POST"}[i%2]
		got = append(got, from(method, fmt.Sprint("/u/guess", i), "192.0.2.1:1000"))
		if known := from(method, "/u/t", "192.0.2.1:1000"); known != http.StatusOK {
			t.Errorf("the token itself: %d", known)
		}
	}
	want := slices.Concat(slices.Repeat([]int{http.StatusNotFound}, 20), slices.Repeat([]int{http.StatusTooManyRequests}, 4))
	if !slices.Equal(got, want) {
		t.Errorf("unknown tokens: %v", got)
	}
	if other := from("GET", "/u/guess", "192.0.2.2:1000"); other != http.StatusNotFound {
		t.Errorf("another address: %d", other)
	}
}
