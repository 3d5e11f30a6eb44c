package main

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/faulty"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier/keys"
)

// marks counts the dirty marks: the inboxes whose last change is not yet in SQL.
func marks(t *testing.T, rdb redis.UniversalClient) (n int64) {
	t.Helper()
	for p := range keys.Partitions {
		one, err := rdb.ZCard(t.Context(), keys.New("carillon:").Dirty(p)).Result()
		if err != nil {
			t.Fatal(err)
		}
		n += one
	}
	return n
}

func TestWithoutRedisUsersReadAndSendAndDeliveryCatchesUp(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	proxy := faulty.Listen(t, "unix", server.Socket)
	c := in(t.TempDir()).with("CARILLON_REDIS_URL", proxy.URL("redis"))
	s := serve(t, c, "--demo")
	alice, bob := visit(t, s.URL), visit(t, s.URL)
	alice.signIn(t, "alice", "alice-demo")
	bob.signIn(t, "bob", "bob-demo")
	before := bob.entries(t)
	degraded := func() bool {
		_, body := text(t, s.URL+"/readyz")
		return strings.HasPrefix(body, "degraded\n")
	}
	rdb := server.Client(t)
	testkit.Eventually(t, "SQL is up to date", func() bool { return marks(t, rdb) == 0 })

	proxy.Refuse(true)
	testkit.Eventually(t, "the instance is degraded", degraded)
	if now := bob.entries(t); !slices.Equal(before, now) {
		t.Errorf("the inbox was %q, now it is %q", before, now)
	}
	page := bob.get(t, "/inbox")
	if text := page.Find("main").Text(); !strings.Contains(text, "Reconnecting. Showing") {
		t.Errorf("the page does not report that it is read-only:\n%s", text)
	}
	if n := page.Find(`[data-testid="entry"] form`).Length(); n > 0 {
		t.Errorf("%d actions are offered", n)
	}
	bob.get(t, "/announcements")
	alice.post(t, "/staff/send", url.Values{"target": {"user"}, "to": {"bob"}, "type": {"order"}, "subject": {"order:42"}, "title": {"Your order left"}})

	proxy.Refuse(false)
	testkit.Eventually(t, "the notice is delivered", func() bool { return slices.Contains(bob.entries(t), "order:order:42") })
	testkit.Eventually(t, "the subscription stands again too", func() bool {
		status, body := text(t, s.URL+"/readyz")
		return status == 200 && body == "ok"
	})
}
