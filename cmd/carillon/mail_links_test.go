package main

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/mailtest"
)

// visitLink makes a GET as somebody without a cookie, and returns the status and where it leads.
func visitLink(t *testing.T, link string) (status int, to string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, link, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return res.StatusCode, res.Header.Get("Location")
}

func TestAMailToAUserOfAnAppLeadsToItsPagesWithoutASession(t *testing.T) {
	t.Parallel()
	smtp := mailtest.Start(t, mailtest.Options{})
	c := in(t.TempDir())
	c.env["CARILLON_MAIL_DEFAULT"] = "0s"
	out := must(t, c.run(t.Context(), "app", "add", "blog", "--origin", "https://blog.example")).out
	key, _, _ := strings.Cut(strings.TrimPrefix(out, "CARILLON_API_KEY="), "\n")
	s := serve(t, c, "--smtp-url=smtp://"+smtp.Addr, "--mail-from=blog@example.com")
	send := func(body string) {
		t.Helper()
		if status, answer := application(t, s, key, http.MethodPost, "/notices", body); status != http.StatusAccepted {
			t.Fatalf("%d %s", status, answer)
		}
	}
	send(`{"target": {"users": ["zoe-9"]}, "type": "reply", "title": "Hello"}`)
	must(t, c.run(t.Context(), "user", "mail", "zoe-9", "zoe@example.com"))
	must(t, c.run(t.Context(), "app", "set", "blog", "--base", "https://blog.example/app"))
	send(`{"target": {"users": ["zoe-9"]}, "type": "reply", "title": "Bo replied", "link": "/posts/3?x=1"}`)
	text := letters(t, smtp, 1)[0].Text
	path := func(pattern string) string {
		t.Helper()
		found := regexp.MustCompile(`https?://\S+` + pattern).FindString(text)
		u, err := url.Parse(found)
		if err != nil || found == "" {
			t.Fatalf("no link like %s in\n%s", pattern, text)
		}
		return s.URL + u.Path
	}
	if !strings.Contains(text, "\nSent by blog\n") {
		t.Errorf("the mail does not say who has sent it:\n%s", text)
	}
	if status, to := visitLink(t, path(`/o/\S+`)); status != http.StatusSeeOther || to != "https://blog.example/app/posts/3?x=1" {
		t.Errorf("the notice: %d to %q", status, to)
	}
	if status, _ := visitLink(t, path(`/o/\S+`)+"A"); status != http.StatusNotFound {
		t.Errorf("a forged link: %d", status)
	}
	if status, _ := visitLink(t, path(`/u/\S+/settings`)); status != http.StatusOK {
		t.Errorf("the settings: %d", status)
	}
	admin := strings.TrimSpace(must(t, c.run(t.Context(), "key", "add", "reader", "--scope", "read")).out)
	if _, answer := application(t, s, admin, http.MethodGet, "/users/zoe-9/badge", ""); !strings.Contains(answer, `"unread":1`) {
		t.Errorf("after the click the badge is %s, want 1: the first notice", answer)
	}
}
