package doctor

import (
	"net/url"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/mail"
	"github.com/carillonhq/carillon/internal/mailtest"
)

func TestTheMailServerIsTriedAndThePasswordIsNotReported(t *testing.T) {
	t.Parallel()
	server := mailtest.Start(t, mailtest.Options{User: "carillon", Password: "hunter2"})
	for password, want := range map[string]string{"hunter2": "ok    mail", "hunter3": "FAIL  mail", "": "FAIL  mail"} {
		smtp, err := mail.ParseServer(server.URL())
		if err != nil {
			t.Fatal(err)
		}
		if smtp.Password = password; password == "" {
			smtp.User = ""
		}
		var found []string
		e := &examination{report: func(f Finding) error { found = append(found, f.String()); return nil }}
		e.mail(t.Context(), &config.Config{SMTP: &smtp, MailFrom: "notices@example.com"})
		if all := strings.Join(found, "\n"); !strings.HasPrefix(all, want) || strings.Contains(all, "hunter") {
			t.Errorf("with the password %q: %s", password, all)
		}
	}
	e := &examination{report: func(f Finding) error { t.Errorf("without a mail server: %s", f); return nil }}
	e.mail(t.Context(), &config.Config{})
}

func TestLinksThatLeadToThisMachineOnlyAreNoted(t *testing.T) {
	t.Parallel()
	server := mailtest.Start(t, mailtest.Options{})
	smtp, err := mail.ParseServer(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	for public, want := range map[string]bool{"": true, "http://localhost:8080": true, "http://127.0.0.2/a": true, "http://[::1]": true, "https://notices.example.com": false} {
		cfg := &config.Config{SMTP: &smtp, MailFrom: "notices@example.com"}
		if public != "" {
			if cfg.PublicURL, err = url.Parse(public); err != nil {
				t.Fatal(err)
			}
		}
		noted := false
		e := &examination{report: func(f Finding) error { noted = noted || f.Status == Note; return nil }}
		if e.mail(t.Context(), cfg); noted != want {
			t.Errorf("%q: noted is %v", public, noted)
		}
	}
}

func TestTheCureOfACertificateIsNamed(t *testing.T) {
	t.Parallel()
	server := mailtest.Start(t, mailtest.Options{TLS: true})
	smtp, err := mail.ParseServer(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	find := func(smtp mail.Server) string {
		var found []string
		e := &examination{report: func(f Finding) error { found = append(found, f.String()); return nil }}
		e.mail(t.Context(), &config.Config{SMTP: &smtp, MailFrom: "notices@example.com"})
		return strings.Join(found, "\n")
	}
	if got := find(smtp); !strings.Contains(got, "--smtp-ca") {
		t.Errorf("of an unknown authority: %s", got)
	}
	smtp.Roots = server.Roots
	if got := find(smtp); !strings.HasPrefix(got, "ok    mail") {
		t.Errorf("with its certificate: %s", got)
	}
	smtp.Host = "localhost"
	if got := find(smtp); !strings.Contains(got, "a name that its certificate has") {
		t.Errorf("by another name: %s", got)
	}
}
