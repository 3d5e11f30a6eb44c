package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// A password changed only at Redis counts as an unavailable Redis: notices are accepted, and the log contains the
// cause.
func TestNoticesAreAcceptedWhileRedisRefusesThePassword(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	conn := server.Client(t).Conn()
	defer conn.Close()
	password := func(p string) {
		if err := conn.ConfigSet(t.Context(), "requirepass", p).Err(); err != nil {
			t.Fatal(err)
		}
	}
	password("hunter1")
	c := in(t.TempDir()).with("CARILLON_REDIS_URL", "unix://:hunter1@"+server.Socket)
	s := serve(t, c)
	key := strings.TrimSpace(must(t, c.run(t.Context(), "key", "add", "shop", "--scope", "send")).out)
	must(t, c.typing("bob-secret").run(t.Context(), "user", "add", "bob", "--password-stdin"))
	password("hunter2")
	if err := conn.Do(t.Context(), "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes").Err(); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the guard of Redis names the cause", func() bool {
		return strings.Contains(s.errors.String(), `stage=epoch err="check redis: temporarily unavailable: WRONGPASS`)
	})
	status, answer := application(t, s, key, http.MethodPost, "/notices", `{"target":{"users":["bob"]},"type":"like","title":"Kept"}`)
	if status != http.StatusAccepted {
		t.Errorf("a notice: %d %s", status, answer)
	}
	serve(t, c.with("CARILLON_DATA_DIR", t.TempDir())) // a new instance waits, too
	if log := s.errors.String(); strings.Contains(log, "clock") || strings.Contains(log, "hunter") {
		t.Errorf("the log blames the clocks, or has the password:\n%s", log)
	}
}
