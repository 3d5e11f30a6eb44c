package main

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/mailtest"
)

// visitLink makes a GET without a cookie, and returns the status and the location.
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
	for _, path := range []string{"", below} {
		t.Run("path "+path, func(t *testing.T) {
			t.Parallel()
			mailToAUserOfAnApp(t, path)
		})
	}
}

func mailToAUserOfAnApp(t *testing.T, below string) {
	t.Helper()
	smtp := mailtest.Start(t, mailtest.Options{})
	c := in(t.TempDir())
	c.env["CARILLON_MAIL_DEFAULT"] = "0s"
	out := must(t, c.run(t.Context(), "app", "add", "blog", "--origin", "https://blog.example")).out
	key, _, _ := strings.Cut(strings.TrimPrefix(out, "CARILLON_API_KEY="), "\n")
	must(t, c.run(t.Context(), "app", "set", "blog", "--base", "https://blog.example/app"))
	const public = "http://127.0.0.1"
	s := serve(t, c, "--smtp-url=smtp://"+smtp.Addr, "--mail-from=blog@example.com", "--public-url="+public+below)
	s.URL = "http://" + s.Addr + below // not through the proxy of the public URL
	send := func(body string) {
		t.Helper()
		if status, answer := application(t, s, key, http.MethodPost, "/notices", body); status != http.StatusAccepted {
			t.Fatalf("%d %s", status, answer)
		}
	}
	send(`{"target": {"users": ["zoe-9"]}, "type": "reply", "title": "Hello"}`)
	must(t, c.run(t.Context(), "user", "mail", "zoe-9", "zoe@example.com"))
	send(`{"target": {"users": ["zoe-9"]}, "type": "reply", "title": "Bo replied", "link": "/posts/3?x=1"}`)
	text := letters(t, smtp, 1)[0].Text
	path := func(pattern string) string {
		t.Helper()
		found := regexp.MustCompile(regexp.QuoteMeta(public+below) + pattern).FindString(text)
		if found == "" {
			t.Fatalf("no link like %s in\n%s", pattern, text)
		}
		return s.URL + strings.TrimPrefix(found, public+below)
	}
	if !strings.Contains(text, "\nSent by blog\n") {
		t.Errorf("the mail does not name its sender:\n%s", text)
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

func TestAPlaceOfAnAppThatIsNoAddressIsRefusedByTheNameOfItsFlag(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	must(t, c.run(t.Context(), "app", "add", "shop", "--base", "https://shop.example/app/"))
	list := must(t, c.run(t.Context(), "app", "list", "--json")).out
	wantWords(t, list, `"https://shop.example/app"`)
	for _, odd := range []string{"javascript:alert(1)", "//eve.example", "shop.example", "/"} {
		for _, flag := range []string{"--base", "--inbox-url", "--settings-url"} {
			for _, args := range [][]string{{"app", "set", "shop"}, {"app", "add", "blog"}} {
				if r := c.run(t.Context(), append(args, flag, odd)...); r.status != 2 || !strings.Contains(r.errors, flag+": ") {
					t.Errorf("%v %s %s: %+v", args, flag, odd, r)
				}
			}
		}
	}
	if again := must(t, c.run(t.Context(), "app", "list", "--json")).out; again != list {
		t.Errorf("afterwards the apps are %s, want %s", again, list)
	}
}
