package mail_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/mail"
)

func TestTheAddressOfTheServerHasItsUsualPorts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]mail.Server{
		"smtps://mail.example.com":                      {Host: "mail.example.com", Port: 465, TLS: true},
		"smtp://mail.example.com/":                      {Host: "mail.example.com", Port: 587},
		"smtp://127.0.0.1:2525":                         {Host: "127.0.0.1", Port: 2525},
		"smtps://me%40example.com:p%40ss%2Fw@h:8465":    {Host: "h", Port: 8465, TLS: true, User: "me@example.com", Password: "p@ss/w"},
		"smtp://user:secret@[2001:db8::1]:25":           {Host: "2001:db8::1", Port: 25, User: "user", Password: "secret"},
		"smtps://apikey:SG.abc-DEF_1@smtp.sendgrid.net": {Host: "smtp.sendgrid.net", Port: 465, TLS: true, User: "apikey", Password: "SG.abc-DEF_1"},
	} {
		if got, err := mail.ParseServer(text); err != nil || got != want {
			t.Errorf("%s: %#v, %v", text, got, err)
		}
	}
}

func TestNoErrorAndNoLogHasThePassword(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "mail.example.com", "http://user:hunter2@h", "smtps://user:hunter2@", "smtps://user:hunter2@h:0", "smtps://user:hunter2@h:99999", "smtps://user:hunter2@h:port",
		"smtps://user:hunter2/x@h", "smtps://user:hunter2?x@h", "smtps://user:hunter2#x@h", "smtps://user:hunter2%zz@h", "smtps://:hunter2@h", "smtps://hunter2@h", "smtps://user:@h",
		"smtps://user:hunter2 x@h", "smtps://user:hunter2@h/path", "smtps://user:hunter2@h?tls=no", "smtps:hunter2", "\nsmtps://user:hunter2@h", "smtps://us er:hunter2@h",
	} {
		if s, err := mail.ParseServer(text); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
	s, err := mail.ParseServer("smtps://user:hunter2@h")
	if err != nil {
		t.Fatal(err)
	}
	if all := fmt.Sprintf("%v %+v %#v %s %q", s, s, s, s, &s); strings.Contains(all, "hunter2") {
		t.Errorf("the password is in %s", all)
	}
}
