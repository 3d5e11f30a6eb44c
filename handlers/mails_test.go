package handlers_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/mail"
)

// outbox returns a demo's outbox with these letters.
func outbox(t *testing.T, letters ...mail.Letter) *mail.Outbox {
	t.Helper()
	o, err := mail.NewOutbox("notices@example.com", func() time.Time { return noon })
	if err != nil {
		t.Fatal(err)
	}
	o.Send(t.Context(), letters)
	return o
}

func TestOnlyADemoShowsItsMails(t *testing.T) {
	t.Parallel()
	served := newWorld(t, func(*world) {})
	for _, path := range []string{"/staff/mails", "/staff/mails/1", "/staff/mails/1/html"} {
		served.get("carol", path).wantStatus(t, http.StatusNotFound)
	}
	if n := served.get("carol", "/staff/send").count(`nav a[href="/staff/mails"]`); n != 0 {
		t.Error("the navigation has mails without a demo")
	}
	demo := newWorld(t, func(w *world) { w.config.Mails = outbox(t) })
	r := demo.get("carol", "/staff/mails").wantStatus(t, http.StatusOK)
	r.wantText(t, "h1", "Emails")
	if r.count(`nav a[href="/staff/mails"][aria-current=page]`) != 1 || r.count("[data-testid=empty]") != 1 {
		t.Errorf("the page without mails: %s", r.body)
	}
	demo.get("alice", "/staff/mails").wantStatus(t, http.StatusNotFound)
}

func TestAMailCanDoNothingOnItsPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.config.Mails = outbox(t,
			mail.Letter{ID: "1.2@h", To: "alice@example.com", Locale: "en", Subject: "Aisle 7", Text: "Restock.", HTML: "<html><head></head><body><script>alert(1)</script>Restock.</body></html>"},
			mail.Letter{ID: "2.2@h", To: "bob@example.com", Locale: "en", Subject: "<b>Aisle 8</b>", Text: "Restock, too.", HTML: "<html></html>"})
	})
	list := w.get("carol", "/staff/mails")
	list.wantText(t, "[data-testid=mail] a", "<b>Aisle 8</b>Aisle 7") // newest first
	r := w.get("carol", "/staff/mails/1").wantStatus(t, http.StatusOK)
	r.wantText(t, "h1", "Aisle 7")
	r.wantText(t, "[data-testid=mail-text]", "Restock.")
	if frame := r.page.Find("iframe"); frame.AttrOr("src", "") != "/staff/mails/1/html" || strings.Contains(frame.AttrOr("sandbox", "allow-scripts"), "scripts") || frame.AttrOr("title", "") == "" {
		t.Errorf("the frame is %v", frame.Nodes[0].Attr)
	}
	if got := r.text("[data-testid=mail-header]"); !strings.Contains(got, "alice@example.com") || !strings.Contains(got, "<1.2@h>") {
		t.Errorf("the header reads %q", got)
	}
	if csp := r.Header.Get("Content-Security-Policy"); !strings.HasSuffix(csp, "; frame-src 'self'") || !strings.Contains(csp, "default-src 'none'") {
		t.Errorf("the policy of the page is %s", csp)
	}
	html := w.get("carol", "/staff/mails/1/html").wantStatus(t, http.StatusOK)
	csp := html.Header.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "sandbox", "frame-ancestors 'self'"} {
		if !strings.Contains(csp, part) || strings.Contains(csp, "script") {
			t.Errorf("the policy of the mail is %s", csp)
		}
	}
	if html.Header.Get("X-Frame-Options") != "SAMEORIGIN" || !strings.Contains(html.body, "Restock.") {
		t.Errorf("%v\n%s", html.Header, html.body)
	}
	w.get("carol", "/staff/mails/3").wantStatus(t, http.StatusNotFound)
	w.get("carol", "/staff/mails/x/html").wantStatus(t, http.StatusNotFound)
}
