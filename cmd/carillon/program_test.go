package main

import (
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/config"
)

func TestAllConfigurationErrorsAreListedWithoutSecrets(t *testing.T) {
	t.Parallel()
	r := call{env: map[string]string{
		"CARILLON_ADDR":              "8080",
		"CARILLON_REDIS_URL":         "http://hunter2@host",
		"CARILLON_REDIS_PREFIX":      "a{b}:",
		"CARILLON_DATABASE_URL":      "mysql://root:hunter2@host/db",
		"CARILLON_SESSION_KEYS":      "hunter2",
		"CARILLON_PUBLIC_URL":        "ftp://host",
		"CARILLON_TRUSTED_PROXIES":   "10.0.0.0/8,proxy",
		"CARILLON_LINK_HOSTS":        "https://shop.example.com",
		"CARILLON_AUDIENCES":         "1=a,1=b,0=c",
		"CARILLON_MAX_SEQ":           "many",
		"CARILLON_INBOX_CAP":         "0",
		"CARILLON_KEEP":              "forever",
		"CARILLON_TOAST_RETENTION":   "59m",
		"CARILLON_LOG_LEVEL":         "loud",
		"CARILLON_LOG_FORMAT":        "xml",
		"CARILLON_ADMIN_ADDR":        "localhost",
		"CARILLON_REDIS_URL_FILE":    "/elsewhere",
		"CARILLON_DATABASE_URL_FILE": "/elsewhere",
	}}.run(t.Context(), "user", "list")
	if r.status != exitUsage {
		t.Errorf("status %d, want %d", r.status, exitUsage)
	}
	wantWords(t, r.errors, "--addr:", "--admin-addr:", "--redis-url:", "--redis-prefix:", "--database-url:",
		"--session-keys:", "--public-url:", "--trusted-proxies:", "--link-hosts:", "--audiences:", "--max-seq:",
		"--inbox-cap:", "--keep:", "--toast-retention:", "--log-level:", "--log-format:", "CARILLON_REDIS_URL_FILE", "CARILLON_DATABASE_URL_FILE", "19 settings are wrong")
	if strings.Contains(r.errors, "hunter2") {
		t.Errorf("a secret is in:\n%s", r.errors)
	}
}

func TestLogFormatIsTextOrJSON(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		json bool
		want string
	}{{false, `level=INFO msg=hello n=1`}, {true, `"level":"INFO","msg":"hello","n":1}`}} {
		var out strings.Builder
		log := newLog(config.Config{LogJSON: test.json}, &out)
		log.Info("hello", "n", 1)
		log.Debug("not logged")
		if got := strings.TrimSpace(out.String()); !strings.HasSuffix(got, test.want) || strings.Contains(got, "\n") {
			t.Errorf("logged %s, want …%s", got, test.want)
		}
	}
}
