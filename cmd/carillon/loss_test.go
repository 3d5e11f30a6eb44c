package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/embedded"
	"github.com/carillonhq/carillon/notifier/keys"
)

// leaseElsewhere lets the server believe that another one writes behind, so that
// nothing is written but at its stop.
func leaseElsewhere(t *testing.T, dir string) {
	t.Helper()
	address, err := embedded.URL(dir)
	if err != nil {
		t.Fatal(err)
	}
	target, err := parseRedisURL(address)
	if err != nil {
		t.Fatal(err)
	}
	rdb := target.open()
	defer rdb.Close()
	for group := range 8 {
		if err := rdb.Set(t.Context(), keys.New("carillon:").Lease(fmt.Sprint("flush:", group)), "another", time.Minute).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAStoppedServerNeedsNoRedisFileToKnowItsInboxes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := serve(t, in(dir), "--demo", "--admin-addr", "127.0.0.1:0")
	bob := visit(t, first.URL)
	bob.signIn(t, "bob", "bob-demo")
	must(t, in(dir).run(t.Context(), "send", "--to", "bob", "--type", "order", "--title", "Your order left"))
	leaseElsewhere(t, dir)
	before := bob.entries(t) // and all are read, a moment before the end
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
	page := again.get(t, "/inbox?filter=unread") // which does not open it
	if rows := page.Find(`[data-testid="entry"]`).Length(); rows > 0 || page.Find(`[data-testid="bell"]`).Length() == 0 {
		t.Errorf("%d entries are unread again", rows)
	}
	if after := again.entries(t); len(after) < 2 || !slices.Equal(before, after) {
		t.Errorf("before %q, after %q", before, after)
	}
}
