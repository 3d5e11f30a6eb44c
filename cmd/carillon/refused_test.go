package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// Each cause has its own text and cure, the same in the log, at /readyz and from the doctor, and one line in the log.
// Sending continues.
func TestWhatRefusesRedisIsNamed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		url   func(t *testing.T) string
		found string
		cure  string
	}{
		"nothing listens": {
			func(t *testing.T) string { t.Helper(); return "redis://" + testkit.Address() },
			"nothing listens at its address", "start it, or correct --redis-url",
		},
		"no such host": {
			func(*testing.T) string { return "redis://redis.invalid" },
			"the name of its host is not in the DNS", "correct the host in --redis-url",
		},
		"no socket": {
			func(t *testing.T) string { t.Helper(); return "unix://" + t.TempDir() + "/redis.sock" },
			"there is no socket at its path", "correct the path in --redis-url",
		},
		"a wrong password": {
			func(t *testing.T) string {
				t.Helper()
				return "unix://:hunter1@" + withACL(t, "default", "resetpass", ">other").Socket
			},
			"it refuses the user or the password", "correct the user and the password in --redis-url",
		},
		"no password": {
			func(t *testing.T) string {
				t.Helper()
				return "unix://" + withACL(t, "default", "resetpass", ">other").Socket
			},
			"it asks for a password", "redis://:PASSWORD@HOST",
		},
		"a user who may not SELECT": {
			func(t *testing.T) string {
				t.Helper()
				return "unix://shop:hunter1@" + withACL(t, "shop", "on", ">hunter1", "allkeys", "allchannels", "+@all", "-select").Socket + "?db=2"
			},
			"its user may not run SELECT", "add +select to the user",
		},
		"no such database": {
			func(t *testing.T) string { t.Helper(); return "unix://" + redistest.Own(t).Socket + "?db=99" },
			"it has no database with the number in --redis-url", "raise `databases`",
		},
		"a node of a cluster": {
			func(t *testing.T) string { t.Helper(); return "redis://" + clusterNode(t) },
			"it is a node of a Redis Cluster", "write redis+cluster://",
		},
		"a database of a cluster": {
			func(t *testing.T) string { t.Helper(); return "redis://" + clusterNode(t) + "/3" },
			"it is a node of a Redis Cluster", "a cluster has no database number",
		},
		"no cluster": {
			func(t *testing.T) string { t.Helper(); return "redis+cluster://" + redistest.Sentinel(t).Master.Addr },
			"it is not a Redis Cluster", "write redis://HOST:PORT",
		},
		"a wrong password of Sentinel": {
			func(t *testing.T) string {
				t.Helper()
				return sentinelWith(t, "hunter2") + "/main?sentinel_password=hunter1"
			},
			"Sentinel refuses its user or password", "correct sentinel_password",
		},
		"no password of Sentinel": {
			func(t *testing.T) string { t.Helper(); return sentinelWith(t, "hunter2") + "/main" },
			"Sentinel asks for a password", "add sentinel_password",
		},
		"an unknown master": {
			func(t *testing.T) string {
				t.Helper()
				return "redis+sentinel://" + redistest.Sentinel(t).Addrs[0] + "/mein"
			},
			"Sentinel knows no master of the name", "SENTINEL MASTERS",
		},
		"no Sentinel": {
			func(t *testing.T) string {
				t.Helper()
				return "redis+sentinel://" + redistest.Sentinel(t).Master.Addr + "/main"
			},
			"no Sentinel is at its address", "write redis://HOST:PORT",
		},
		"a Sentinel itself": {
			func(t *testing.T) string { t.Helper(); return "redis://" + redistest.Sentinel(t).Addrs[0] },
			"it is a Sentinel, which holds no data", "write redis+sentinel://",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := in(t.TempDir()).with("CARILLON_REDIS_URL", test.url(t))
			s := serve(t, c)
			key := strings.TrimSpace(must(t, c.run(t.Context(), "key", "add", "shop", "--scope", "send")).out)
			must(t, c.typing("bob-secret").run(t.Context(), "user", "add", "bob", "--password-stdin"))
			status, answer := application(t, s, key, http.MethodPost, "/notices", `{"target":{"users":["bob"]},"type":"like","title":"Kept"}`)
			if status != http.StatusAccepted {
				t.Errorf("a notice: %d %s", status, answer)
			}
			var ready string
			testkit.Eventually(t, "/readyz names it", func() bool { // at first the error may only be a closed connection
				var code int
				code, ready = text(t, s.URL+"/readyz")
				return code == http.StatusOK && strings.HasPrefix(ready, "degraded\nredis: ") && strings.Contains(ready, test.found) && strings.Contains(ready, test.cure)
			})
			wantWords(t, c.run(t.Context(), "doctor").out, "FAIL  redis        "+test.found, test.cure)
			log := s.errors.String()
			wantWords(t, log, test.found, test.cure)
			if n := strings.Count(log, "level=WARN") + strings.Count(log, "level=ERROR"); n != 1 {
				t.Errorf("%d lines for one cause:\n%s", n, log)
			}
			if strings.Contains(log+ready, "hunter") {
				t.Errorf("a password is in\n%s\n%s", log, ready)
			}
		})
	}
}

// withACL starts a Redis with such a user.
func withACL(t *testing.T, words ...string) *redistest.Server {
	t.Helper()
	server := redistest.Own(t)
	args := []any{"ACL", "SETUSER"}
	for _, word := range words {
		args = append(args, word)
	}
	if err := server.Client(t).Do(t.Context(), args...).Err(); err != nil {
		t.Fatal(err)
	}
	return server
}

func clusterNode(t *testing.T) string {
	t.Helper()
	return redistest.Cluster(t).Options().Addrs[0]
}

// sentinelWith returns the beginning of the address of a Sentinel with a password.
func sentinelWith(t *testing.T, password string) string {
	t.Helper()
	at := redistest.Sentinel(t).Addrs[0]
	sentinel := redis.NewClient(&redis.Options{Addr: at})
	defer sentinel.Close()
	if err := sentinel.Do(t.Context(), "ACL", "SETUSER", "default", "resetpass", ">"+password).Err(); err != nil {
		t.Fatal(err)
	}
	return "redis+sentinel://" + at
}

// An outage while an instance runs is also one line, and its end another.
func TestAnOutageOfRedisIsOneLine(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	conn := server.Client(t).Conn()
	defer conn.Close()
	c := in(t.TempDir()).with("CARILLON_REDIS_URL", "unix://"+server.Socket)
	s := serve(t, c, "--demo")
	bob := visit(t, s.URL)
	bob.signIn(t, "bob", "bob-demo")
	password := func(p string) {
		if err := conn.ConfigSet(t.Context(), "requirepass", p).Err(); err != nil {
			t.Fatal(err)
		}
		if err := conn.Do(t.Context(), "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes").Err(); err != nil {
			t.Fatal(err)
		}
	}
	password("rotated")
	testkit.Eventually(t, "the cause is told", func() bool {
		_, ready := text(t, s.URL+"/readyz")
		return strings.Contains(ready, "it asks for a password") && strings.Contains(s.errors.String(), "redis is unavailable")
	})
	alice := visit(t, s.URL)
	alice.signIn(t, "alice", "alice-demo")
	alice.post(t, "/staff/send", url.Values{"target": {"user"}, "to": {"bob"}, "type": {"order"}, "title": {"Your order left"}})
	password("")
	testkit.Eventually(t, "all is well", func() bool {
		_, ready := text(t, s.URL+"/readyz")
		return ready == "ok"
	})
	if log := s.errors.String(); strings.Count(log, "level=WARN") != 1 || !strings.Contains(log, "redis is in use again") {
		t.Errorf("the log:\n%s", log)
	}
}
