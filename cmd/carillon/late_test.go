package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/faulty"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// PostgreSQL may start after Carillon, which waits for it, logs one line, and answers requests meanwhile.
func TestAServerWaitsForPostgreSQL(t *testing.T) {
	t.Parallel()
	direct, err := url.Parse(sqltest.Pooled(t).URL)
	if err != nil {
		t.Fatal(err)
	}
	database := faulty.Listen(t, "tcp", direct.Host)
	database.Refuse(true)
	direct.Host = database.Addr()
	addr := testkit.Address()
	c := in(t.TempDir()).with("CARILLON_DATABASE_URL", direct.String()).with("CARILLON_REDIS_URL", "unix://"+redistest.Own(t).Socket).
		with("CARILLON_SESSION_KEYS", strings.Repeat("5e", 32)).with("CARILLON_PUBLIC_URL", "http://"+addr+"/notices")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, stdout := io.Pipe()
	errors, ended := &testkit.Buffer{}, make(chan int, 1)
	go func() {
		ended <- c.stream(ctx, stdout, errors, "serve", "--json", "--addr", addr)
		_ = stdout.Close()
	}()
	testkit.Eventually(t, "it waits", func() bool { return strings.Contains(errors.String(), "waiting for sql") })
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/healthz":         {200, "ok"},
		"/readyz":          {503, "unavailable\nsql: it closes the connection"},
		"/notices/readyz":  {503, "unavailable\nsql: it closes the connection"},
		"/notices/inbox":   {503, "its database does not answer yet"},
		"/notices/api/v1/": {503, "its database does not answer yet"},
	} {
		if status, said := text(t, "http://"+addr+path); status != want.status || !strings.Contains(said, want.text) {
			t.Errorf("%s: %d %q", path, status, said)
		}
	}
	database.Refuse(false)
	line, err := bufio.NewReader(out).ReadBytes('\n')
	var at serving
	if err == nil {
		err = json.Unmarshal(line, &at)
	}
	if err != nil || at.Addr != addr {
		t.Fatalf("it did not start: %+v, %v\n%s", at, err, errors)
	}
	if status, said := text(t, "http://"+addr+"/readyz"); status != 200 || said != "ok" {
		t.Errorf("/readyz: %d %q", status, said)
	}
	if log := errors.String(); strings.Count(log, "level=WARN") != 1 || !strings.Contains(log, "sql answers") {
		t.Errorf("the log:\n%s", log)
	}
	cancel()
	if status := <-ended; status != 0 {
		t.Errorf("it ended with %d:\n%s", status, errors)
	}
}

// Stopping a server that waits is not a fault.
func TestAServerThatWaitsForPostgreSQLCanBeStopped(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir()).with("CARILLON_DATABASE_URL", "postgres://carillon@"+testkit.Address()+"/carillon")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	errors, ended := &testkit.Buffer{}, make(chan int, 1)
	go func() { ended <- c.stream(ctx, io.Discard, errors, "serve", "--addr", "127.0.0.1:0") }()
	testkit.Eventually(t, "it waits", func() bool { return strings.Contains(errors.String(), "waiting for sql") })
	cancel()
	if status := <-ended; status != 0 {
		t.Errorf("it ended with %d:\n%s", status, errors)
	}
}

// A fault that waiting does not cure ends the start immediately.
func TestAServerDoesNotWaitForADatabaseThatDoesNotExist(t *testing.T) {
	t.Parallel()
	database, err := url.Parse(sqltest.Pooled(t).URL)
	if err != nil {
		t.Fatal(err)
	}
	database.Path = "/nothing-like-it"
	r := in(t.TempDir()).with("CARILLON_DATABASE_URL", database.String()).run(t.Context(), "serve", "--addr", "127.0.0.1:0")
	if r.status == 0 || !strings.Contains(r.errors, "nothing-like-it") {
		t.Errorf("%d: %s", r.status, r.errors)
	}
}
