package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// A right that the user of Redis lacks is reported by the doctor in advance, and by /readyz and the log when it
// matters.
func TestARightThatAUserOfRedisLacksIsNamed(t *testing.T) {
	t.Parallel()
	for rule, test := range map[string]struct{ doctor, ready string }{
		"resetchannels": {"its user may not use Carillon's channels", "its user may not use Carillon's channels: add &PREFIX*"},
		"-subscribe":    {"its user may not run SUBSCRIBE", "live: no subscription stands"},
		"-publish":      {"its user may not run PUBLISH", "its user may not run"}, // Redis 7.0 does not name the command of a script
		"resetkeys":     {"its user may not use Carillon's keys", "its user may not use Carillon's keys"},
		"-@hash":        {"may not run HSET, HGET, HMGET, HGETALL, HINCRBY, HSCAN, HDEL", "its user may not run H"},
		"-@stream":      {"+xgroup|create +xadd", "its user may not run X"},
		"-@scripting":   {"may not run EVAL, SCRIPT LOAD, EVALSHA", "its user may not run"},
		"-time":         {"may not run TIME", "its user may not run TIME"},
		"-info":         {"its user may not run INFO", ""}, // without effect for users
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			server := redistest.Own(t)
			user := redistest.LeastRights(t, server.Client(t), "carillon:", rule)
			c := in(t.TempDir()).with("CARILLON_REDIS_URL", "unix://"+user+server.Socket)
			examined := c.run(t.Context(), "doctor")
			wantWords(t, examined.out, "FAIL  redis", test.doctor, `docs/operations.md, "A user of Redis"`)
			s := serve(t, c)
			key := strings.TrimSpace(must(t, c.run(t.Context(), "key", "add", "shop", "--scope", "send")).out)
			must(t, c.typing("bob-secret").run(t.Context(), "user", "add", "bob", "--password-stdin"))
			if test.ready == "" {
				wantWords(t, s.errors.String(), "does not report its identity", "+info")
				return
			}
			bob := visit(t, s.URL)
			bob.signIn(t, "bob", "bob-secret")
			bob.events(t)
			if status, answer := application(t, s, key, http.MethodPost, "/notices", `{"target":{"users":["bob"]},"type":"like","title":"Kept"}`); status != http.StatusAccepted {
				t.Errorf("a notice: %d %s", status, answer)
			}
			testkit.Eventually(t, "/readyz names it", func() bool {
				_, ready := text(t, s.URL+"/readyz")
				return strings.HasPrefix(ready, "degraded\n") && strings.Contains(ready, test.ready)
			})
			testkit.Eventually(t, "the log names it", func() bool { return strings.Contains(s.errors.String(), "its user may not") })
		})
	}
}

func TestTheDoctorTriesWhatAUserOfRedisMayDo(t *testing.T) {
	t.Parallel()
	for name, user := range map[string]func(*redistest.Server) string{
		"the default user":  func(*redistest.Server) string { return "" },
		"one as documented": func(s *redistest.Server) string { return redistest.LeastRights(t, s.Client(t), "carillon:") },
	} {
		server := redistest.Own(t)
		c := in(t.TempDir()).with("CARILLON_REDIS_URL", "unix://"+user(server)+server.Socket)
		wantWords(t, c.run(t.Context(), "doctor").out, "ok    redis rights its user may do all that Carillon does")
		if left := server.Client(t).Keys(t.Context(), "*").Val(); len(left) > 0 {
			t.Errorf("%s: the doctor has left %q", name, left)
		}
	}
}
