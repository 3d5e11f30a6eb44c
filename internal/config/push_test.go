package config

import (
	"strings"
	"testing"
)

func TestPushIsOnWhereBrowsersOfferIt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args    []string
		contact string // empty: push is off
	}{
		{[]string{"--addr=127.0.0.1:8080"}, "mailto:carillon@localhost"},
		{[]string{"--addr=0.0.0.0:8080"}, ""},
		{[]string{"--addr=0.0.0.0:8080", "--public-url=https://notices.example.com"}, "https://notices.example.com"},
		{[]string{"--addr=0.0.0.0:8080", "--public-url=http://localhost:8080"}, "mailto:carillon@localhost"},
		{[]string{"--public-url=http://notices.example.com"}, ""},
		{[]string{"--public-url=https://notices.example.com", "--push=off"}, ""},
		{[]string{"--public-url=https://notices.example.com", "--push=on", "--push-contact=mailto:ops@example.com"}, "mailto:ops@example.com"},
	} {
		c, err := parse(t, nil, test.args...)
		if err != nil {
			t.Errorf("%q: %v", test.args, err)
			continue
		}
		contact := ""
		if c.Push != nil {
			contact = c.Push.Contact
		}
		if contact != test.contact {
			t.Errorf("%q: the contact is %q, want %q", test.args, contact, test.contact)
		}
	}
}

func TestFaultsOfPushNameTheFlagAndNoSecret(t *testing.T) {
	t.Parallel()
	for _, arg := range []string{
		"--push=maybe", "--push-contact=ops@example.com", "--push-contact=mailto:ops", "--vapid-key=hunter2", "--push-hosts=https://push.example.com", "--push-hosts=push.example.com:443",
	} {
		flag, _, _ := strings.Cut(arg, "=")
		if _, err := parse(t, nil, "--public-url=https://notices.example.com", arg); err == nil || !strings.Contains(err.Error(), flag+":") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", arg, err)
		}
	}
	if _, err := parse(t, nil, "--public-url=http://notices.example.com", "--push=on"); err == nil || !strings.Contains(err.Error(), "--push:") {
		t.Errorf("on without https: %v", err)
	}
}
