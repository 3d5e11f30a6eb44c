package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheMailServerMayBeInAFileAndNeedsASender(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "smtp")
	if err := os.WriteFile(file, []byte("smtps://user:hunter2@mail.example.com\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"CARILLON_SMTP_URL_FILE": file}
	c, err := parse(t, env, "--mail-from=Carillon <notices@example.com>")
	if err != nil || c.SMTP == nil || c.SMTP.Password != "hunter2" || c.SMTP.Address() != "mail.example.com:465" || c.MailFrom != "Carillon <notices@example.com>" {
		t.Errorf("%+v %q, %v", c.SMTP, c.MailFrom, err)
	}
	if _, err = parse(t, env); err == nil || !strings.Contains(err.Error(), "--mail-from") {
		t.Errorf("without a sender: %v", err)
	}
	for _, from := range []string{"notices", "a@example.com, b@example.com", "Carillon <notices@example.com>\nBcc: x@example.com"} {
		if _, err = parse(t, env, "--mail-from="+from); err == nil || !strings.Contains(err.Error(), "--mail-from") {
			t.Errorf("from %q: %v", from, err)
		}
	}
	if c, err = parse(t, nil); err != nil || c.SMTP != nil {
		t.Errorf("without the flag: %v, %v", c.SMTP, err)
	}
}

func TestAFaultOfTheMailServerDoesNotRepeatIt(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"smtps://user:hunter2@h/x", "hunter2", "smtp://user:hunter2%@h", "smtp://hunter2@h"} {
		if _, err := parse(t, nil, "--mail-from=a@example.com", "--smtp-url="+text); err == nil || !strings.Contains(err.Error(), "--smtp-url") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
