package main

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/carillonhq/carillon/internal/mailtest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// letters waits until a mail server has n letters, and returns them.
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
	// A notice to both is now mailed only to carol. Her mail is sent after the round that would mail bob.
	must(t, c.run(t.Context(), "send", "--to", "bob", "--to", "carol", "--title", "The lift works", "--type", "alarm"))
	letters(t, smtp, 2)
	must(t, c.run(t.Context(), "send", "--to", "carol", "--title", "All is well", "--type", "alarm"))
	for _, l := range letters(t, smtp, 3)[1:] {
		if l.To != "carol@example.com" {
			t.Errorf("mailed after unsubscribing: %+v", l)
		}
	}
}

// gauges waits until the page of metrics has these lines.
func gauges(t *testing.T, s *running, want ...string) {
	t.Helper()
	testkit.Eventually(t, "the metrics have "+strings.Join(want, ", "), func() bool {
		_, page := text(t, s.Admin+"/metrics")
		return !slices.ContainsFunc(want, func(line string) bool { return !strings.Contains(page, line+"\n") })
	})
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
	gauges(t, s, `carillon_reach_told_total{kind="mail"} 1`, `carillon_reach_failed_total{kind="mail"} 1`, `carillon_reach_failing{kind="mail"} 1`,
		`carillon_reach_due{kind="mail"} 0`, `carillon_reach_oldest_seconds{kind="mail"} 0`, `carillon_reach_dead{kind="mail"} 0`, `carillon_reach_away{kind="mail"} 0`)
}

// The alerts CarillonMailWaits and CarillonMailAway read these gauges.
func TestARelayThatRefusesEverybodyIsSeenInTheMetricsAndAllMailGoesOutAfterwards(t *testing.T) {
	t.Parallel()
	var mended atomic.Bool
	smtp := mailtest.Start(t, mailtest.Options{Rcpt: func(address string) error {
		if mended.Load() {
			return nil
		}
		return mailtest.Answer(554, 5, 7, 1, "<"+address+">: Relay access denied")
	}})
	c := in(t.TempDir())
	c.env["CARILLON_MAIL_DEFAULT"] = "0s"
	args := []string{"send", "--title", "The lift works", "--type", "alarm"}
	for _, name := range []string{"ann", "bob", "carol", "dave", "eve", "fay"} {
		must(t, c.run(t.Context(), "user", "add", name))
		must(t, c.run(t.Context(), "user", "mail", name, name+"@example.com"))
		args = append(args, "--to", name)
	}
	s := serve(t, c, "--smtp-url=smtp://"+smtp.Addr, "--mail-from=shop@example.com", "--admin-addr=127.0.0.1:0")
	must(t, c.run(t.Context(), args...))
	gauges(t, s, `carillon_reach_away{kind="mail"} 1`, `carillon_reach_dead{kind="mail"} 0`)
	testkit.Eventually(t, "the gauges show what waits", func() bool {
		_, page := text(t, s.Admin+"/metrics")
		oldest := regexp.MustCompile(`carillon_reach_oldest_seconds{kind="mail"} [1-9]`)
		return oldest.MatchString(page) && !strings.Contains(page, `carillon_reach_failing{kind="mail"} 0`) && !strings.Contains(page, `carillon_reach_due{kind="mail"} 0`)
	})
	mended.Store(true)
	if r := c.run(t.Context(), "user", "mail", "--revive", "example.com"); r.status != 0 || !strings.Contains(r.out, "addresses tried again") {
		t.Errorf("%+v", r)
	}
	letters(t, smtp, 6)
	if r := must(t, c.run(t.Context(), "user", "mail", "--revive", "ann")); !strings.Contains(r.out, "addresses tried again: 0") {
		t.Errorf("an address that is fine: %s", r.out)
	}
	gauges(t, s, `carillon_reach_away{kind="mail"} 0`, `carillon_reach_due{kind="mail"} 0`, `carillon_reach_failing{kind="mail"} 0`, `carillon_reach_told_total{kind="mail"} 6`)
}
