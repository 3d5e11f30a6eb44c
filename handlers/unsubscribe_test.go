package handlers_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestOneClickUnsubscribesWithoutASession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	link := "/u/" + w.mailToken()
	p := w.get("", link).wantStatus(t, http.StatusOK)
	if p.attr("main form", "action") != link || p.attr("main form", "method") != "post" || p.page.Find("main form button").Length() != 1 {
		t.Errorf("no form: %s", p.body)
	}
	w.do(httptest.NewRequest(http.MethodHead, link, nil), "").wantStatus(t, http.StatusOK)
	if mail, err := w.db.MailOf(t.Context(), alice.Seq); err != nil || mail.State != notifier.ReachOn {
		t.Error("looking at the page unsubscribes")
	}
	r := w.postBody("", link, "List-Unsubscribe=One-Click", "Origin", "https://mail.example", "Sec-Fetch-Site", "cross-site").wantStatus(t, http.StatusOK)
	mail, err := w.db.MailOf(t.Context(), alice.Seq)
	if err != nil || mail.State != notifier.ReachOff || len(r.Cookies()) > 0 || r.text("h1") != "You are unsubscribed" {
		t.Errorf("%+v, %v, cookies %v: %s", mail, err, r.Cookies(), r.body)
	}
	if log := w.query(`SELECT action || ' ' || address FROM audit_log`); !slices.Equal(log, []string{"user.unsubscribe 192.0.2.1"}) {
		t.Errorf("the audit log has %q", log)
	}
	w.postBody("alice", "/settings", "theme=dark", "Origin", "https://mail.example", "Sec-Fetch-Site", "cross-site").wantStatus(t, http.StatusForbidden)
}

func TestGuessingTokensIsLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	link := "/u/" + w.mailToken()
	from := func(method, path, address string) int {
		r := httptest.NewRequest(method, path, nil)
		r.RemoteAddr = address
		return w.do(r, "").StatusCode
	}
	var got []int
	for i := range 24 {
		method := []string{"GET", "POST"}[i%2]
		got = append(got, from(method, fmt.Sprint("/u/guess", i), "192.0.2.1:1000"))
		if known := from(method, link, "192.0.2.1:1000"); known != http.StatusOK {
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
