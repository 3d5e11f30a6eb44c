package handlers_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/carillonhq/carillon/notifier"
)

func TestEveryResponseHasSecurityHeaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, address := range []string{"/inbox", "/login", "/nothing", "/healthz"} {
		r := w.get("alice", address)
		csp := r.Header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self';", "style-src 'self';", "frame-ancestors 'none'", "base-uri 'none'"} {
			if !strings.Contains(csp, part) {
				t.Errorf("%s: the policy lacks %q: %s", address, part, csp)
			}
		}
		if r.Header.Get("X-Content-Type-Options") != "nosniff" || r.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: headers %v", address, r.Header)
		}
	}
	page := w.get("alice", "/inbox")
	for address, want := range map[string]string{
		page.attr("link[rel=stylesheet]", "href"): "default-src 'none'",
		"/static/nothing":                         page.Header.Get("Content-Security-Policy"),
	} {
		if got := w.get("alice", address).Header.Get("Content-Security-Policy"); got != want {
			t.Errorf("%s: the policy is %q, want %q", address, got, want)
		}
	}
}

func TestPagesHaveNoInlineScriptAndNoForeignHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, address := range []string{"/inbox", "/staff/send", "/staff/users", "/settings", "/nothing"} {
		r := w.get("carol", address)
		r.page.Find("script, link, img").Each(func(_ int, s *goquery.Selection) {
			from := s.AttrOr("src", s.AttrOr("href", ""))
			if !strings.HasPrefix(from, "/static/") && from != "/manifest.webmanifest" || strings.TrimSpace(s.Text()) != "" {
				t.Errorf("%s loads %q", address, from)
			}
		})
		if n := r.count("[style], style, [onclick], [onload]"); n > 0 {
			t.Errorf("%s has %d inline styles or handlers", address, n)
		}
	}
}

func TestFormFromAnotherSiteIs403(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.config.PublicURL = "https://bell.example" })
	for _, headers := range [][]string{
		{"Origin", "https://evil.example"},
		{"Origin", "null"},
		{"Sec-Fetch-Site", "cross-site"},
		{"Sec-Fetch-Site", "same-site"},
	} {
		r := w.postBody("alice", "/inbox/read", "key=a:b", headers...).wantStatus(t, http.StatusForbidden)
		if r.text("h1") == "" || !strings.Contains(r.body, "at another address") {
			t.Errorf("403 without its reason: %s", r.text("main"))
		}
	}
	if log := w.log.String(); strings.Count(log, "level=WARN") != 1 || !strings.Contains(log, "origin=evil.example") || !strings.Contains(log, "--public-url") {
		t.Errorf("the log gives no cure, or not once:\n%s", log)
	}
	read := func(string, int64, string) (notifier.Badge, error) { return notifier.Badge{}, nil }
	w.inbox.change = read
	w.postBody("alice", "/inbox/read", "key=a:b", "Origin", "http://example.com").wantStatus(t, http.StatusSeeOther)
	w.postBody("alice", "/inbox/read", "key=a:b", "Origin", "https://bell.example").wantStatus(t, http.StatusSeeOther)
}

func TestTooLargeFormIs413(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	body := "key=" + strings.Repeat("a", 64<<10)
	w.postBody("alice", "/inbox/read", body).wantStatus(t, http.StatusRequestEntityTooLarge)

	r := httptest.NewRequest(http.MethodPost, "/inbox/read", bytes.NewBufferString(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.ContentLength = -1 // as with chunks
	w.do(r, "alice").wantStatus(t, http.StatusRequestEntityTooLarge)
}

func TestMalformedFormIs400AndUnknownField422(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.postBody("alice", "/inbox/read", "key=%zz").wantStatus(t, http.StatusBadRequest)
	w.postBody("alice", "/inbox/read", "{}", "Content-Type", "application/json").wantStatus(t, http.StatusBadRequest)
	for _, body := range []string{"", "key=", "key=a:b&back=1&back=2", "key=a:b&other=1"} {
		w.postBody("alice", "/inbox/read", body).wantStatus(t, http.StatusUnprocessableEntity)
	}
}

func TestPanicIs500WithTheRequestID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.inbox.open = func(int64) (notifier.Page, error) { panic("secret detail") }
	})
	r := w.get("alice", "/inbox").wantStatus(t, http.StatusInternalServerError)
	if strings.Contains(r.body, "secret") || !strings.Contains(r.body, r.Header.Get("X-Request-Id")) {
		t.Errorf("the page: %s", r.text("main"))
	}
	if !strings.Contains(w.log.String(), "secret detail") {
		t.Error("the panic is not in the log")
	}
}

func TestPageOfAnOutageOffersToTryAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.inbox.look = func(int64, notifier.Query) (notifier.Page, error) { return notifier.Page{}, notifier.ErrUnavailable }
		w.inbox.change = func(string, int64, string) (notifier.Badge, error) { return notifier.Badge{}, notifier.ErrUnavailable }
	})
	ways := func(r reply) string {
		var found []string
		for _, a := range r.page.Find("[data-testid=failure] a").EachIter() {
			found = append(found, a.Text()+" "+a.AttrOr("href", ""))
		}
		return strings.Join(found, ", ")
	}
	for _, test := range []struct {
		reply reply
		want  string
	}{
		{w.get("alice", "/inbox?filter=unread&before=%22"), "Try again /inbox?filter=unread&before=%22, Back to the inbox /inbox"},
		{w.post("alice", "/inbox/read", "key", "a:b"), "Back to the inbox /inbox"}, // a link cannot submit a form
		{w.get("alice", "/nothing"), "Back to the inbox /inbox"},
	} {
		if got := ways(test.reply); got != test.want {
			t.Errorf("%d: links are %q, want %q", test.reply.StatusCode, got, test.want)
		}
	}
	w.sessions.current = func(*http.Request) (notifier.Signed, bool, error) {
		return notifier.Signed{}, false, notifier.ErrUnavailable
	}
	if got := ways(w.get("alice", "/settings").wantStatus(t, http.StatusServiceUnavailable)); got != "Try again /settings, Back to the inbox /inbox" {
		t.Errorf("with an unreadable session the links are %q", got)
	}
}

func TestAccessLogHasUserAndPathButNoContent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.get("alice", "/inbox?before=5&token=hidden")
	line := w.log.String()
	for _, part := range []string{"path=/inbox", "status=200", "user_id=1", "request_id=", "duration=", "address=192.0.2.1"} {
		if !strings.Contains(line, part) {
			t.Errorf("the log lacks %s: %s", part, line)
		}
	}
	if strings.Contains(line, "hidden") {
		t.Errorf("the log has the query: %s", line)
	}
}

func TestOnlyTrustedProxiesSetTheClientAddress(t *testing.T) {
	t.Parallel()
	seen := ""
	w := newWorld(t, func(w *world) {
		w.config.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
		w.config.SignIns = signIns(func(_, _, address string) (notifier.User, error) {
			seen = address
			return notifier.User{}, notifier.ErrUnauthenticated
		})
	})
	for remote, want := range map[string]string{"192.0.2.1:99": "192.0.2.1", "10.0.0.2:99": "203.0.113.5"} {
		r := httptest.NewRequest(http.MethodPost, "/login", strings.NewReader("username=a&password=b"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.RemoteAddr = remote
		w.do(r, "", "X-Forwarded-For", "203.0.113.5")
		if seen != want {
			t.Errorf("%s counts as %s, want %s", remote, seen, want)
		}
	}
}
