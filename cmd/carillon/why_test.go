package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/mailtest"
	"github.com/carillonhq/carillon/internal/pushtest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// asker asks a server, with an API key, why users got notices or did not.
type asker struct {
	t         *testing.T
	base, key string
}

// is waits until the answer about a notice and a user, who got it, is this one.
func (a asker) is(notice int, user, code, why string) {
	a.t.Helper()
	testkit.Until(a.t, fmt.Sprintf("why %s has notice %d: %s, %s", user, notice, code, why), func() (answer struct {
		Got       bool
		Code, Why string
	}, ok bool,
	) {
		req, err := http.NewRequestWithContext(a.t.Context(), http.MethodGet, fmt.Sprintf("%s/api/v1/notices/%d/why?user=%s", a.base, notice, user), nil)
		if err != nil {
			a.t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+a.key)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			a.t.Fatal(err)
		}
		defer res.Body.Close()
		if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
			a.t.Fatal(err)
		}
		return answer, answer.Got && answer.Code == code && strings.Contains(answer.Why, why)
	})
}

func TestWhyTellsWhatBecameOfTheMail(t *testing.T) {
	t.Parallel()
	smtp := mailtest.Start(t, mailtest.Options{Rcpt: func(address string) error {
		if strings.HasPrefix(address, "busy") {
			return mailtest.Answer(450, 4, 2, 1, "later")
		}
		return nil
	}})
	c := in(t.TempDir())
	c.env["CARILLON_MAIL_DEFAULT"] = "0s"
	key := strings.TrimSpace(must(t, c.run(t.Context(), "key", "add", "why", "--scope", "admin")).out)
	for name, address := range map[string]string{"bob": "bob@example.com", "carol": "busy@example.com", "dave": "dave@example.com"} {
		must(t, c.run(t.Context(), "user", "add", name))
		must(t, c.run(t.Context(), "user", "mail", name, address))
	}
	s := serve(t, c, "--smtp-url=smtp://"+smtp.Addr, "--mail-from=shop@example.com")
	must(t, c.run(t.Context(), "send", "--to", "bob", "--to", "carol", "--to", "dave", "--title", "The lift is stuck"))
	why := asker{t, s.URL, key}
	why.is(1, "carol", "mail", "; the mail about it could not be sent yet, because their mail server does not take it, and is retried.")
	mails := letters(t, smtp, 2)
	why.is(1, "bob", "target", "because it names them.")

	// What was mailed before stays mailed, whatever they choose later.
	for _, l := range mails {
		if l.To == "bob@example.com" {
			link, err := url.Parse(strings.Trim(l.Header.Get("List-Unsubscribe"), "<>"))
			if err != nil {
				t.Fatal(err)
			}
			visit(t, s.URL).post(t, link.Path, url.Values{"List-Unsubscribe": {"One-Click"}})
		}
	}
	must(t, c.run(t.Context(), "send", "--to", "bob", "--title", "The lift works"))
	why.is(2, "bob", "mail", "; no mail was sent, because they have switched mail off.")
	why.is(1, "bob", "target", "because it names them.")

	// A mail that was taken may come back.
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v1/users/dave/mail/bounced", strings.NewReader(`{"kind": "hard"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusNoContent {
		t.Fatalf("bounced: %s", res.Status)
	}
	why.is(1, "dave", "mail", "; mail does not reach them, because their address does not exist.")
}

func TestWhyTellsWhatBecameOfThePush(t *testing.T) {
	t.Parallel()
	service := pushtest.Start(t)
	c := in(t.TempDir())
	key := strings.TrimSpace(must(t, c.run(t.Context(), "key", "add", "why", "--scope", "admin")).out)
	must(t, c.typing("correct horse battery\n").run(t.Context(), "user", "add", "bob", "--password-stdin"))
	s, bob := pushing(t, c)
	why := asker{t, s.URL, key}
	must(t, c.run(t.Context(), "send", "--to", "bob", "--title", "Before there was a device"))
	why.is(1, "bob", "target", "because it names them.")
	if status, _ := bob.device(t, service.JSON()); status != http.StatusCreated {
		t.Fatalf("registered: %d", status)
	}
	why.is(1, "bob", "device", "; no push was sent, because their device was added later.")
	must(t, c.run(t.Context(), "send", "--to", "bob", "--title", "The lift is stuck"))
	pushed(t, service, 1)
	why.is(2, "bob", "target", "because it names them.")

	service.Answer(pushtest.Answer{Status: http.StatusInternalServerError})
	must(t, c.run(t.Context(), "send", "--to", "bob", "--title", "The lift moves"))
	why.is(3, "bob", "device", "; the push about it could not be sent yet, because the push service does not take it, and is retried.")
	bob.post(t, "/logout", url.Values{}) // the device ends with the session
	for _, id := range []int{2, 3} {
		why.is(id, "bob", "device", "; no push reaches them, because their last device went on ")
	}
}
