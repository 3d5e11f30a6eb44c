package main

import (
	"strings"
	"testing"
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
		"CARILLON_ADMIN_ADDR":        "localhost",
		"CARILLON_REDIS_URL_FILE":    "/elsewhere",
		"CARILLON_DATABASE_URL_FILE": "/elsewhere",
	}}.run(t.Context(), "user", "list")
	if r.status != exitUsage {
		t.Errorf("status %d, want %d", r.status, exitUsage)
	}
	wantWords(t, r.errors, "--addr:", "--admin-addr:", "--redis-url:", "--redis-prefix:", "--database-url:",
		"--session-keys:", "--public-url:", "--trusted-proxies:", "--link-hosts:", "--audiences:", "--max-seq:",
		"--inbox-cap:", "--keep:", "--toast-retention:", "--log-level:", "CARILLON_REDIS_URL_FILE", "CARILLON_DATABASE_URL_FILE", "18 settings are wrong")
	if strings.Contains(r.errors, "hunter2") {
		t.Errorf("a secret is in:\n%s", r.errors)
	}
}
