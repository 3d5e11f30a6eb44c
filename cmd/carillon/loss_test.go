package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestAStoppedServerNeedsNoRedisFileToKnowItsInboxes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := serve(t, in(dir), "--demo", "--admin-addr", "127.0.0.1:0")
	bob := visit(t, first.URL)
	bob.signIn(t, "bob", "bob-demo")
	must(t, in(dir).run(t.Context(), "send", "--to", "bob", "--type", "order", "--title", "Your order left"))
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
	if badge := again.get(t, "/settings").Find("[data-badge]").AttrOr("data-badge", ""); badge != "" && badge != "0" {
		t.Errorf("the badge is %q", badge)
	}
	if after := again.entries(t); len(after) < 2 || !slices.Equal(before, after) {
		t.Errorf("before %q, after %q", before, after)
	}
}
