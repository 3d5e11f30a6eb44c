package handlers_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestANoticeThatCannotBeStoredKeepsItsText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err    error
		status int
		says   string
	}{
		{errAway, http.StatusServiceUnavailable, "Nothing has been sent: it cannot be stored right now."},
		{&notifier.TooManyError{RetryAfter: 7 * time.Second}, http.StatusTooManyRequests, "Nothing has been sent: a great deal is on its way right now."},
	} {
		var sent []notifier.Draft
		w := sendWorld(t, 2, &sent)
		w.sender.send = func(notifier.Draft) (notifier.Notice, error) {
			return notifier.Notice{}, fmt.Errorf("store: %w", test.err)
		}
		// What the form hints at is away too.
		w.directory.roles = func() ([]notifier.RoleInfo, error) { return nil, errAway }
		form := with(with(goodForm, "title", `Say "hello" <b>`), "body", "One\nTwo")
		r := w.post("carol", "/staff/send", form...).wantStatus(t, test.status)
		if got := r.text("[data-testid=not-sent]"); !strings.HasPrefix(got, test.says) {
			t.Errorf("it says %q", got)
		}
		if r.attr("#title", "value") != `Say "hello" <b>` || r.page.Find("#body").Text() != "One\nTwo" || r.attr("#subject", "value") != "photo:1" {
			t.Errorf("the text is not what was typed:\n%s", r.text("#send"))
		}
		if r.Header.Get("Retry-After") == "" {
			t.Error("nobody knows when to try again")
		}
		if len(w.audit.entries) != 0 {
			t.Errorf("it is written down as done: %v", w.audit.entries)
		}
	}
}

func TestANoticeThatCannotBeCountedKeepsItsText(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 2, &sent)
	w.sender.count = func(notifier.Draft) (int64, error) { return 0, errAway }
	r := w.post("carol", "/staff/send", goodForm...).wantStatus(t, http.StatusServiceUnavailable)
	if r.count("[data-testid=not-sent]") != 1 || r.attr("#title", "value") != "Hello" {
		t.Errorf("the text is gone:\n%s", r.text("main"))
	}
}

// TestWhileNobodyKnowsWhoItIsAFormIsKeptAsItCame is SQL away, and no copy of the session.
func TestWhileNobodyKnowsWhoItIsAFormIsKeptAsItCame(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 2, &sent)
	known := w.sessions.current
	w.sessions.current = func(*http.Request) (notifier.Signed, bool, error) { return notifier.Signed{}, false, errAway }
	r := w.post("carol", "/staff/send", goodForm...).wantStatus(t, http.StatusServiceUnavailable)
	r.wantText(t, "h1", "Not possible right now")
	w.sessions.current = known
	w.submit("carol", r, "[data-testid=retry]").wantRedirect(t, "/staff/notices/42")
	if len(sent) != 1 || sent[0].Title != "Hello" || sent[0].Body != "One\nTwo" || len(sent[0].Target.Users) != 2 {
		t.Errorf("what was sent then is %+v", sent)
	}
	w.sessions.current = func(*http.Request) (notifier.Signed, bool, error) { return notifier.Signed{}, false, errAway }
	r = w.post("", "/login", "username", "carol", "password", "secret word").wantStatus(t, http.StatusServiceUnavailable)
	if strings.Contains(r.body, "secret word") {
		t.Error("a password stands on a page")
	}
}

func TestANoticeOnItsWaySaysThatItWaits(t *testing.T) {
	t.Parallel()
	for state, want := range map[notifier.State]string{
		notifier.StateAccepted:   "It is accepted and kept. Carillon cannot reach its memory right now; it will be delivered as soon as that is back.",
		notifier.StateRetracting: "Carillon cannot reach its memory right now; the notice disappears as soon as that is back.",
		notifier.StateSent:       "How many got and read it is not known at the moment.",
	} {
		w := newWorld(t, func(w *world) {
			w.health.redis = errAway
			w.sender.progress = func(id int64) (notifier.Progress, error) {
				n := notice(id, state)
				n.Routed = true
				return notifier.Progress{Notice: n}, nil
			}
		})
		if got := w.get("carol", "/staff/notices/42").wantStatus(t, http.StatusOK).text("#progress .hint"); got != want {
			t.Errorf("%s: it says %q", state, got)
		}
	}
}
