package handlers_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestNoticeThatCannotBeStoredKeepsItsText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err    error
		status int
		says   string
	}{
		{errAway, http.StatusServiceUnavailable, "Not sent: it can't be stored right now."},
		{&notifier.TooManyError{RetryAfter: 7 * time.Second}, http.StatusTooManyRequests, "Not sent: too many deliveries are in progress."},
	} {
		var sent []notifier.Draft
		w := sendWorld(t, 2, &sent)
		w.sender.send = func(notifier.Draft) (notifier.Notice, error) {
			return notifier.Notice{}, fmt.Errorf("store: %w", test.err)
		}
		if test.status == http.StatusServiceUnavailable {
			w.closeSQL() // the choices on the form are unavailable too
		}
		form := with(with(goodForm, "title", `Say "hello" <b>`), "body", "One\nTwo")
		r := w.post("carol", "/staff/send", form...).wantStatus(t, test.status)
		if got := r.text("[data-testid=not-sent]"); !strings.HasPrefix(got, test.says) {
			t.Errorf("the message is %q", got)
		}
		if r.attr("#title", "value") != `Say "hello" <b>` || r.page.Find("#body").Text() != "One\nTwo" || r.attr("#subject", "value") != "photo:1" {
			t.Errorf("the form does not have the typed text:\n%s", r.text("#send"))
		}
		if r.Header.Get("Retry-After") == "" {
			t.Error("Retry-After is missing")
		}
		if len(w.audit.entries) != 0 {
			t.Errorf("the audit log has %v", w.audit.entries)
		}
	}
}

func TestNoticeThatCannotBeCountedKeepsItsText(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 2, &sent)
	w.sender.count = func(notifier.Draft) (int64, error) { return 0, errAway }
	r := w.post("carol", "/staff/send", goodForm...).wantStatus(t, http.StatusServiceUnavailable)
	if r.count("[data-testid=not-sent]") != 1 || r.attr("#title", "value") != "Hello" {
		t.Errorf("the text is lost:\n%s", r.text("main"))
	}
}

// TestFormIsKeptWhenTheSessionCannotBeRead: SQL is down and the session is not cached.
func TestFormIsKeptWhenTheSessionCannotBeRead(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 2, &sent)
	known := w.sessions.current
	w.sessions.current = func(*http.Request) (notifier.Signed, bool, error) { return notifier.Signed{}, false, errAway }
	r := w.post("carol", "/staff/send", goodForm...).wantStatus(t, http.StatusServiceUnavailable)
	r.wantText(t, "h1", "Not available right now")
	w.sessions.current = known
	w.submit("carol", r, "[data-testid=retry]").wantRedirect(t, "/staff/notices/42")
	if len(sent) != 1 || sent[0].Title != "Hello" || sent[0].Body != "One\nTwo" || len(sent[0].Target.Users) != 2 {
		t.Errorf("sent %+v on retry", sent)
	}
	w.sessions.current = func(*http.Request) (notifier.Signed, bool, error) { return notifier.Signed{}, false, errAway }
	r = w.post("", "/login", "username", "carol", "password", "secret word").wantStatus(t, http.StatusServiceUnavailable)
	if strings.Contains(r.body, "secret word") {
		t.Error("a page contains a password")
	}
}

func TestUnfinishedNoticeSaysThatItWaitsForRedis(t *testing.T) {
	t.Parallel()
	for state, want := range map[notifier.State]string{
		notifier.StateAccepted:   "Accepted and stored. Carillon can't reach Redis right now; the notification will be delivered as soon as Redis is back.",
		notifier.StateRetracting: "Carillon can't reach Redis right now; the notification will be removed as soon as Redis is back.",
		notifier.StateSent:       "Delivered and read counts are unavailable right now.",
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
			t.Errorf("%s: the note is %q", state, got)
		}
	}
}

func TestAFormWithAPasswordOrAFileIsNotPutOnAPage(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.closeSQL()
	for address, fields := range map[string][]string{
		"/settings/password": {"current", "old secret", "password", "new secret"},
		"/staff/users/bob":   {"action", "password", "password", "new secret"},
		"/staff/users":       {"action", "new", "name", "dave", "audience", "user", "password", "new secret"},
	} {
		r := o.post("carol", address, fields...).wantStatus(t, http.StatusServiceUnavailable)
		if strings.Contains(r.body, "secret") || r.count("[data-testid=retry]") != 0 {
			t.Errorf("%s: the page has the password, or the form without it", address)
		}
	}
	if r := o.upload("carol", "name\ndave\n").wantStatus(t, http.StatusServiceUnavailable); r.count("[data-testid=retry]") != 0 {
		t.Error("the page repeats the form without its file")
	}
	r := o.post("carol", "/staff/users", "action", "new", "name", "dave", "audience", "user", "password", "").wantStatus(t, http.StatusServiceUnavailable)
	if r.attr("[data-testid=retry] [name=name]", "value") != "dave" {
		t.Error("a form without a password is lost")
	}
}
