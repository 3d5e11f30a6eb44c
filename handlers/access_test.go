package handlers_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestPagesWithoutASessionRedirectToLoginAndBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, test := range []struct{ method, address, next string }{
		{"GET", "/inbox", "%2Finbox"},
		{"GET", "/inbox?before=12&opened=3", "%2Finbox%3Fbefore%3D12%26opened%3D3"},
		{"GET", "/staff/notices/12", "%2Fstaff%2Fnotices%2F12"},
		{"GET", "/settings", "%2Fsettings"},
		{"POST", "/inbox/delete", "%2Finbox"},
		{"POST", "/toasts/ack", "%2Finbox"},
		{"POST", "/events/active", "%2Finbox"},
		{"POST", "/staff/send", "%2Fstaff%2Fsend"},
	} {
		r := w.do(httptest.NewRequest(test.method, test.address, nil), "")
		r.wantRedirect(t, "/login?next="+test.next)
	}
	w.get("", "/").wantRedirect(t, "/inbox")
}

func TestStreamWithoutASessionIs401(t *testing.T) {
	t.Parallel()
	newWorld(t, nil).get("", "/events").wantStatus(t, http.StatusUnauthorized)
}

func TestStaffPagesAre404ForOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, address := range []string{"/staff/send", "/staff/notices", "/staff/notices/1", "/staff/users", "/staff/names", "/staff/else"} {
		w.get("alice", address).wantStatus(t, http.StatusNotFound)
		w.post("alice", address).wantStatus(t, http.StatusNotFound)
	}
	if r := w.get("alice", "/inbox"); r.count("nav a[href^='/staff']") != 0 {
		t.Error("the navigation of a non-staff user links to staff pages")
	}
}

func TestEveryErrorHasItsPage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err    error
		status int
	}{
		{notifier.ErrNotFound, 404},
		{notifier.ErrForbidden, 403},
		{notifier.ErrConflict, 409},
		{notifier.ErrTooMany, 429},
		{notifier.ErrUnavailable, 503},
		{errors.New("secret detail"), 500},
	} {
		w := newWorld(t, func(w *world) {
			w.inbox.open = func(int64) (notifier.Page, error) {
				return notifier.Page{}, fmt.Errorf("secret detail: %w", test.err)
			}
		})
		for lang, want := range map[string]string{"en": "en", "ja": "ja", "zh-CN": "zh-Hans", "zh-TW": "zh-Hant"} {
			r := w.get("alice", "/inbox", "Accept-Language", lang).wantStatus(t, test.status)
			if got := r.attr("[data-testid=failure]", "data-status"); got != strconv.Itoa(test.status) {
				t.Errorf("%v: the page has status %q", test.err, got)
			}
			if got := r.attr("html", "lang"); got != want {
				t.Errorf("%v: the page is in %q, want %q", test.err, got, want)
			}
			if r.text("h1") == "" || r.page.Find("body:contains('secret')").Length() > 0 {
				t.Errorf("%v: the page says %q", test.err, r.text("main"))
			}
			if busy := test.status == 429 || test.status == 503; busy != (r.Header.Get("Retry-After") != "") {
				t.Errorf("%v: Retry-After is %q", test.err, r.Header.Get("Retry-After"))
			}
		}
	}
}

func TestUnknownAddressIs404AndWrongMethod405(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, address := range []string{"/nothing", "/inbox/", "/static/", "/static/nothing.css", "/staff/notices/0", "/favicon.ico"} {
		w.get("carol", address).wantStatus(t, http.StatusNotFound)
	}
	r := w.get("alice", "/inbox/read").wantStatus(t, http.StatusMethodNotAllowed)
	if r.Header.Get("Allow") != "POST" {
		t.Errorf("Allow is %q", r.Header.Get("Allow"))
	}
	r = w.post("alice", "/inbox").wantStatus(t, http.StatusMethodNotAllowed)
	if r.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("Allow is %q", r.Header.Get("Allow"))
	}
}

func TestFaultsOfStaffPagesStayAmongThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for address, want := range map[string]string{
		"/staff/notices/0": "Back to Sent /staff/notices Sent", "/staff/else": "Back to Sent /staff/notices Sent", "/staff": "Back to Sent /staff/notices Sent",
		"/staff/roles/none": "Back to Groups /staff/roles Groups", "/staff/apps/none/else": "Back to Apps /staff/apps Apps", "/staff/typesetting": "Back to Sent /staff/notices Sent",
		"/nothing": "Back to the inbox /inbox ", "/staffing": "Back to the inbox /inbox ",
	} {
		r := w.get("carol", address).wantStatus(t, http.StatusNotFound)
		if got := r.text("[data-testid=failure] a") + " " + r.attr("[data-testid=failure] a", "href") + " " + r.text(".side [aria-current=page]"); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
	r := w.get("alice", "/staff/notices/0").wantStatus(t, http.StatusNotFound)
	if r.text("[data-testid=failure] a") != "Back to the inbox" || r.count(".side") != 0 {
		t.Error("a user who is not staff sees the staff pages")
	}
}

func TestListOfKeysIsAPartAndAPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	if r := w.get("alice", "/keys"); r.text("main h1") != "Keyboard shortcuts" || r.count("main .keys dt") < 10 || r.count("header nav") == 0 {
		t.Errorf("the page is %q", r.text("main"))
	}
	if r := w.get("alice", "/keys", "HX-Request", "true"); r.count("html head title, main") != 0 || r.count(".keys dt") < 10 {
		t.Error("the part is a page")
	}
	for user, want := range map[string]string{"alice": "Go to the settingsgs", "carol": "Go to the staff pagesgs"} {
		r := w.get(user, "/keys", "HX-Request", "true")
		for _, line := range []string{want, "Next unread notificationn", "Mute or unmute its categorym"} {
			if !strings.Contains(r.text(".keys"), line) {
				t.Errorf("%s: no %q in %q", user, line, r.text(".keys"))
			}
		}
		to := w.get(user, "/announcements")
		if got, staff := to.attr("[data-go=s]", "href"), user == "carol"; to.count("[data-go=s]") != 1 || (got == "/staff/send") != staff || (got == "/settings") == staff {
			t.Errorf("%s: the keys g s lead to %q", user, got)
		}
	}
}

func TestMalformedIDsInAddressesAre404(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.sender.progress = func(id int64) (notifier.Progress, error) {
			t.Errorf("looked up notice %d", id)
			return notifier.Progress{}, notifier.ErrNotFound
		}
	})
	for _, id := range []string{"0", "-1", "9223372036854775808", "1e3", "+1", "01", "0x1", "%00", "1%20", "１"} {
		w.get("carol", "/staff/notices/"+id).wantStatus(t, http.StatusNotFound)
	}
}

func TestFailedSessionLookupIs503AndDoesNotRedirect(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.sessions.current = func(*http.Request) (notifier.Signed, bool, error) {
			return notifier.Signed{}, false, fmt.Errorf("read a session: %w", notifier.ErrUnavailable)
		}
	})
	w.get("alice", "/inbox").wantStatus(t, http.StatusServiceUnavailable)
	w.get("alice", "/events").wantStatus(t, http.StatusServiceUnavailable)
}

func TestHealth(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		ready  notifier.Readiness
		status int
		body   string
	}{
		{notifier.Readiness{}, 200, "ok"},
		{notifier.Readiness{Causes: []string{"redis: why", "sql: why"}}, 200, "degraded\nredis: why\nsql: why"},
		{notifier.Readiness{Down: true, Causes: []string{"sql: why"}}, 503, "unavailable\nsql: why"},
	} {
		w := newWorld(t, func(w *world) { w.health.ready = test.ready })
		if r := w.get("", "/readyz").wantStatus(t, test.status); r.body != test.body {
			t.Errorf("/readyz answers %q, want %q", r.body, test.body)
		}
		if r := w.get("", "/healthz").wantStatus(t, 200); r.body != "ok" {
			t.Errorf("/healthz answers %q", r.body)
		}
	}
}
