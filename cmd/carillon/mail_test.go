package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/mailtest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// letters waits until a mail server has so many letters, and returns them.
func letters(t *testing.T, s *mailtest.Server, n int) []mailtest.Letter {
	t.Helper()
	testkit.Eventually(t, "the mails have arrived", func() bool { return len(s.Letters()) >= n })
	return s.Letters()
}

func TestWhatIsNotReadIsMailedOnceAndTheMailUnsubscribes(t *testing.T) {
	t.Parallel()
	smtp := mailtest.Start(t, mailtest.Options{})
	c := in(t.TempDir())
	c.env["CARILLON_MAIL_DEFAULT"] = "0s"
	for _, args := range [][]string{
		{"user", "add", "bob"}, {"user", "add", "carol"}, {"user", "mail", "bob", "bob@example.com"}, {"user", "mail", "carol", "carol@example.com"},
	} {
		must(t, c.run(t.Context(), args...))
	}
	if r := c.run(t.Context(), "user", "mail", "bob", "bob@example.com, eve@example.com"); r.status == 0 || !strings.Contains(r.errors, "address") {
		t.Errorf("two addresses: %+v", r)
	}
	s := serve(t, c, "--smtp-url=smtp://"+smtp.Addr, "--mail-from=Shop <shop@example.com>")
	must(t, c.run(t.Context(), "send", "--to", "bob", "--title", "The lift is stuck", "--type", "alarm"))
	one := letters(t, smtp, 1)[0]
	if one.To != "bob@example.com" || one.From != "shop@example.com" || one.Header.Get("Subject") != "The lift is stuck" {
		t.Errorf("%+v", one)
	}
	link, err := url.Parse(strings.Trim(one.Header.Get("List-Unsubscribe"), "<>"))
	if err != nil || !strings.HasPrefix(link.Path, "/u/") {
		t.Fatalf("List-Unsubscribe: %s", one.Header.Get("List-Unsubscribe"))
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+link.Path, strings.NewReader("List-Unsubscribe=One-Click"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("unsubscribing: %s", res.Status)
	}
	// What both get now is mailed to carol alone. Her mail is sent after the round that would mail bob.
	must(t, c.run(t.Context(), "send", "--to", "bob", "--to", "carol", "--title", "The lift works", "--type", "alarm"))
	letters(t, smtp, 2)
	must(t, c.run(t.Context(), "send", "--to", "carol", "--title", "All is well", "--type", "alarm"))
	for _, l := range letters(t, smtp, 3)[1:] {
		if l.To != "carol@example.com" {
			t.Errorf("mailed after unsubscribing: %+v", l)
		}
	}
}

func TestMailsAreCountedForOperators(t *testing.T) {
	t.Parallel()
	smtp := mailtest.Start(t, mailtest.Options{Rcpt: func(address string) error {
		if address == "gone@example.com" {
			return mailtest.Answer(550, 5, 1, 1, "nobody here")
		}
		return nil
	}})
	c := in(t.TempDir())
	c.env["CARILLON_MAIL_DEFAULT"] = "0s"
	for _, args := range [][]string{
		{"user", "add", "bob"}, {"user", "add", "carol"}, {"user", "mail", "bob", "bob@example.com"}, {"user", "mail", "carol", "gone@example.com"},
	} {
		must(t, c.run(t.Context(), args...))
	}
	s := serve(t, c, "--smtp-url=smtp://"+smtp.Addr, "--mail-from=shop@example.com", "--admin-addr=127.0.0.1:0")
	must(t, c.run(t.Context(), "send", "--to", "bob", "--to", "carol", "--title", "The lift works", "--type", "alarm"))
	want := []string{
		`carillon_reach_told_total{kind="mail"} 1`, `carillon_reach_ended_total{kind="mail"} 1`, `carillon_reach_dead{kind="mail"} 1`,
		`carillon_reach_due{kind="mail"} 0`, `carillon_reach_oldest_seconds{kind="mail"} 0`, `carillon_reach_failing{kind="mail"} 0`,
	}
	testkit.Eventually(t, "the mails are counted", func() bool {
		_, page := text(t, s.Admin+"/metrics")
		for _, line := range want {
			if !strings.Contains(page, line) {
				return false
			}
		}
		return true
	})
}
