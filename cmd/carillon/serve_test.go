package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/demo"
	"github.com/carillonhq/carillon/internal/instance"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/internal/testkit"
)

func TestASentNoticeIsInTheInboxAndTheServerStopsInOrder(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	s := serve(t, c, "--demo")
	bob := visit(t, s.URL)
	bob.signIn(t, "bob", "bob-demo")
	if keys := bob.entries(t); !slices.Contains(keys, "like:photo_id:1:user_id:7") {
		t.Errorf("the demonstration's inbox is %q", keys)
	}
	r := must(t, c.run(t.Context(), "send", "--to", "bob", "--type", "order", "--subject", "order:42", "--title", "Your order left"))
	wantWords(t, r.out, "sent to 1 user")
	if keys := bob.entries(t); len(keys) == 0 || keys[0] != "order:order:42" {
		t.Errorf("after sending, the inbox is %q", keys)
	}
	if status := s.stop(); status != 0 {
		t.Errorf("stopped with status %d:\n%s", status, s.errors)
	}
}

func TestInboxesSurviveARestart(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	first := serve(t, c, "--demo")
	bob := visit(t, first.URL)
	bob.signIn(t, "bob", "bob-demo")
	before := bob.entries(t)
	if status := first.stop(); status != 0 {
		t.Fatalf("status %d", status)
	}
	second := serve(t, c, "--demo")
	again := browser{bob.Client, second.URL} // with the same cookie
	if after := again.entries(t); len(after) == 0 || !slices.Equal(before, after) {
		t.Errorf("before %q, after %q", before, after)
	}
}

func TestASecondServerOnOneDirectoryIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	serve(t, in(dir))
	r := in(dir).run(t.Context(), "serve", "--addr", "127.0.0.1:0")
	if r.status != exitFailed {
		t.Errorf("status %d", r.status)
	}
	wantWords(t, r.errors, dir, "in use", "process")
}

func TestTwoInstancesShareRedisAndPostgreSQL(t *testing.T) {
	t.Parallel()
	c := shared(t)
	must(t, c.typing("bob-secret").run(t.Context(), "user", "add", "bob", "--password-stdin"))
	one, two := serve(t, c), serve(t, c.with("CARILLON_DATA_DIR", t.TempDir()))
	bob := visit(t, one.URL)
	bob.signIn(t, "bob", "bob-secret")
	must(t, c.run(t.Context(), "send", "--to", "bob", "--type", "order", "--subject", "order:42", "--title", "Your order left"))
	there := browser{bob.Client, two.URL} // signed in at the first instance
	if keys := there.entries(t); !slices.Equal(keys, []string{"order:order:42"}) {
		t.Errorf("the other instance shows %q", keys)
	}
}

// shared returns a call that uses the package's Redis and the test's own PostgreSQL database.
func shared(t *testing.T) call {
	t.Helper()
	return in(t.TempDir()).
		with("CARILLON_REDIS_URL", "unix://"+redistest.Socket(t)).
		with("CARILLON_REDIS_PREFIX", t.Name()+":").
		with("CARILLON_DATABASE_URL", sqltest.URL(t)).
		with("CARILLON_SESSION_KEYS", strings.Repeat("5e", config.KeyBytes))
}

func TestANoticeSentWithoutRedisIsDeliveredLater(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	must(t, c.typing("bob-secret").run(t.Context(), "user", "add", "bob", "--password-stdin"))
	r := must(t, c.run(t.Context(), "send", "--to", "bob", "--type", "order", "--title", "Your order left"))
	wantWords(t, r.out, "a running server will deliver it")
	s := serve(t, c)
	bob := visit(t, s.URL)
	bob.signIn(t, "bob", "bob-secret")
	testkit.Eventually(t, "the notice is delivered", func() bool { return slices.Equal(bob.entries(t), []string{"order:notice_id:1"}) })
}

func TestAServerStartsWhileRedisIsAway(t *testing.T) {
	t.Parallel()
	s := serve(t, in(t.TempDir()).with("CARILLON_REDIS_URL", "redis://"+testkit.Address()))
	if status, body := text(t, s.URL+"/readyz"); status != 200 || !strings.HasPrefix(body, "degraded\nredis: nothing listens at its address") {
		t.Errorf("/readyz: %d %q", status, body)
	}
}

func TestServePrintsItsAddressBesideThePublicURL(t *testing.T) {
	t.Parallel()
	s := serve(t, in(t.TempDir()), "--public-url", "https://notices.example.com")
	if s.URL != "https://notices.example.com" {
		t.Errorf("the URL is %q", s.URL)
	}
	if status, body := text(t, "http://"+s.Addr+"/readyz"); status != 200 || body != "ok" {
		t.Errorf("/readyz at %q: %d %q", s.Addr, status, body)
	}
}

func TestServeReportsAPortInUse(t *testing.T) {
	t.Parallel()
	s := serve(t, in(t.TempDir()))
	addr := strings.TrimPrefix(s.URL, "http://")
	r := in(t.TempDir()).run(t.Context(), "serve", "--addr", addr)
	if r.status != exitFailed {
		t.Errorf("status %d", r.status)
	}
	wantWords(t, r.errors, "listen on "+addr)
}

func TestMetricsAreOnAnAddressOfTheirOwn(t *testing.T) {
	t.Parallel()
	s := serve(t, in(t.TempDir()), "--admin-addr", "127.0.0.1:0")
	if status, body := text(t, s.Admin+"/healthz"); status != 200 || body != "ok" {
		t.Errorf("/healthz: %d %q", status, body)
	}
	_, body := text(t, s.Admin+"/metrics")
	wantWords(t, body, "carillon_streams 0", `carillon_notices_unfinished{state="accepted"} 0`,
		"carillon_redis_state 2", "carillon_intake_backlog ", "carillon_intake_done_total ", "carillon_dead_letters 0", `carillon_drift_total{kind="count"} 0`, "carillon_flush_lag_seconds ", "go_goroutines", "process_resident_memory_bytes")
	if status, _ := text(t, s.URL+"/metrics"); status != 404 {
		t.Errorf("/metrics on the public address: %d", status)
	}
}

func TestDemoUsersAreNotShownToThePublic(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, args := range [][]string{
		{"serve", "--demo", "--addr", "0.0.0.0:0"},
		{"serve", "--demo", "--addr", ":0"},
		{"serve", "--demo", "--addr", "127.0.0.1:0", "--public-url", "https://notices.example.com"},
	} {
		r := in(dir).run(t.Context(), args...)
		if r.status != exitUsage || !strings.Contains(r.errors, "passwords are known") {
			t.Errorf("%q: status %d, %s", args, r.status, r.errors)
		}
	}
	serve(t, in(dir), "--demo").stop()
	r := in(dir).run(t.Context(), "serve", "--addr", "0.0.0.0:0")
	if r.status != exitFailed {
		t.Errorf("with demo users left behind: status %d", r.status)
	}
	wantWords(t, r.errors, "alice, bob, carol, dave, erin", "user passwd")
	for _, u := range demo.Users() {
		must(t, in(dir).typing("another-"+u.Password).run(t.Context(), "user", "passwd", u.Name, "--password-stdin"))
	}
	serve(t, in(dir), "--public-url", "https://notices.example.com")
}

func TestDemoDataIsAddedOnce(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	for range 2 {
		s := serve(t, c, "--demo")
		if len(s.Users) != len(demo.Users()) {
			t.Errorf("it prints %v", s.Users)
		}
		alice := visit(t, s.URL)
		alice.signIn(t, "alice", "alice-demo")
		if rows := alice.get(t, "/staff/notices").Find("tbody tr").Length(); rows != len(demo.Notices(&config.Config{}, time.Now())) {
			t.Errorf("%d notices, want %d", rows, len(demo.Notices(&config.Config{}, time.Now())))
		}
		s.stop()
	}
}

func TestServePrintsURLUsersAndPasswords(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	c := &console{stdout: &out}
	err := serveCmd{Demo: true}.announce(instance.Address{URL: "http://127.0.0.1:8080", Admin: "http://127.0.0.1:9090"}, false, c)
	if err != nil {
		t.Fatal(err)
	}
	words := []string{"http://127.0.0.1:8080", "http://127.0.0.1:9090/metrics"}
	for _, u := range demo.Users() {
		words = append(words, fmt.Sprintf("%-8s %-14s", u.Name, u.Password))
	}
	wantWords(t, out.String(), words...)
}
