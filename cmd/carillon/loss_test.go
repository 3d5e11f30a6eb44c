package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/embedded"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier/keys"
)

// builtIn returns a client of the built-in Redis of a data directory.
func builtIn(t *testing.T, dir string) redis.UniversalClient {
	t.Helper()
	address, err := embedded.URL(dir)
	if err != nil {
		t.Fatal(err)
	}
	target, err := config.ParseRedis(address)
	if err != nil {
		t.Fatal(err)
	}
	rdb := target.Open(nil)
	t.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

// leaseElsewhere acquires the write-behind leases, as another instance would. The server then writes inboxes to SQL
// only when it stops.
func leaseElsewhere(t *testing.T, rdb redis.UniversalClient) {
	t.Helper()
	for group := range 8 {
		if err := rdb.Set(t.Context(), keys.New("carillon:").Lease(fmt.Sprint("flush:", group)), "another", time.Minute).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestInboxesSurviveTheLossOfTheRedisFileAfterAnOrderlyStop(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := serve(t, in(dir), "--demo", "--admin-addr", "127.0.0.1:0")
	bob := visit(t, first.URL)
	bob.signIn(t, "bob", "bob-demo")
	must(t, in(dir).run(t.Context(), "send", "--to", "bob", "--type", "order", "--title", "Your order left"))
	leaseElsewhere(t, builtIn(t, dir))
	before := bob.entries(t) // this also marks all as read, just before the stop
	_, body := text(t, first.Admin+"/metrics")
	wantWords(t, body, "carillon_flush_lag_seconds", "carillon_flush_users_total", "carillon_flush_batches_total")
	if status := first.stop(); status != 0 {
		t.Fatalf("status %d", status)
	}
	if err := os.RemoveAll(filepath.Join(dir, "redis")); err != nil {
		t.Fatal(err)
	}
	second := serve(t, in(dir), "--demo")
	again := browser{bob.Client, second.URL}
	page := again.get(t, "/inbox?filter=unread") // this view does not mark anything as read
	if rows := page.Find(`[data-testid="entry"]`).Length(); rows > 0 || page.Find(`[data-testid="bell"]`).Length() == 0 {
		t.Errorf("%d entries are unread again", rows)
	}
	if after := again.entries(t); len(after) < 2 || !slices.Equal(before, after) {
		t.Errorf("before %q, after %q", before, after)
	}
}

// The write-behind ends after everything that changes inboxes: a delivery is in progress when the server is stopped,
// and all its changes are written.
func TestAServerThatStopsDuringADeliveryWritesAllOfItToSQL(t *testing.T) {
	t.Parallel()
	const crowd = 5000
	redisServer := redistest.Own(t)
	rdb := redisServer.Client(t)
	c := in(t.TempDir()).with("CARILLON_REDIS_URL", "unix://"+redisServer.Socket)
	var users strings.Builder
	users.WriteString("name,roles\n")
	for n := range crowd {
		fmt.Fprintf(&users, "u%d,crowd\n", n)
	}
	must(t, c.run(t.Context(), "user", "import", csvFile(t, users.String())))
	key := strings.TrimSpace(must(t, c.run(t.Context(), "key", "add", "shop", "--scope", "send")).out)
	leaseElsewhere(t, rdb)
	s := serve(t, c)
	status, body := application(t, s, key, http.MethodPost, "/notices", `{"target": {"role": "crowd"}, "type": "order", "title": "Late"}`)
	if status != http.StatusAccepted {
		t.Fatalf("%d %s", status, body)
	}
	space := keys.New("carillon:")
	unwritten := func() (n int64) {
		for part := range keys.Partitions {
			n += rdb.ZCard(t.Context(), space.Dirty(part)).Val()
		}
		return n
	}
	testkit.Eventually(t, "the delivery has begun", func() bool { return unwritten() > 0 })
	if status := s.stop(); status != 0 {
		t.Fatalf("status %d", status)
	}
	if n := unwritten(); n > 0 {
		t.Errorf("%d changed inboxes are not in SQL", n)
	}
}
