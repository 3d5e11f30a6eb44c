package main

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// Two instances and the commands next to them share four connections to PostgreSQL, which may change with each
// transaction.
func TestEverythingWorksBehindPgBouncer(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir()).
		with("CARILLON_REDIS_URL", "unix://"+redistest.Own(t).Socket).
		with("CARILLON_SESSION_KEYS", strings.Repeat("5e", 32)).
		with("CARILLON_DATABASE_URL", sqltest.Pooled(t).URL)
	must(t, c.run(t.Context(), "migrate"))
	must(t, c.typing("alice-secret").run(t.Context(), "user", "add", "alice", "--role", "staff", "--password-stdin"))
	must(t, c.typing("bob-secret").run(t.Context(), "user", "add", "bob", "--password-stdin"))
	key := strings.TrimSpace(must(t, c.run(t.Context(), "key", "add", "shop", "--scope", "send")).out)
	both := []*running{serve(t, c), serve(t, c)}
	var sending sync.WaitGroup
	for i, s := range both {
		for j := range 4 {
			sending.Go(func() {
				for k := range 10 {
					body := fmt.Sprintf(`{"target":{"users":["bob"]},"type":"like","subject":"n:%d-%d-%d","title":"Kept"}`, i, j, k)
					if status, answer := application(t, s, key, http.MethodPost, "/notices", body); status != http.StatusAccepted {
						t.Errorf("a notice: %d %s", status, answer)
					}
				}
			})
		}
	}
	sending.Wait()
	bob, alice := visit(t, both[0].URL), visit(t, both[1].URL)
	bob.signIn(t, "bob", "bob-secret")
	alice.signIn(t, "alice", "alice-secret")
	testkit.Eventually(t, "all notices are there", func() bool {
		return len(bob.entries(t)) > 0 && bob.get(t, "/inbox").Find(`[data-testid="entry"]`).Length() >= 20
	})
	for _, page := range []string{"/staff/send", "/staff/notices", "/staff/people", "/staff/roles", "/staff/deadletters", "/staff/keys", "/staff/audit", "/settings", "/announcements"} {
		if status, _ := text(t, both[1].URL+page); status >= 500 {
			t.Errorf("%s: %d", page, status)
		}
	}
	alice.post(t, "/staff/send", url.Values{"target": {"user"}, "to": {"bob"}, "type": {"order"}, "title": {"Your order left"}})
	must(t, c.run(t.Context(), "send", "--to", "bob", "--type", "order", "--title", "By command"))
	must(t, c.run(t.Context(), "user", "delete", "bob"))
	wantWords(t, c.run(t.Context(), "doctor").out, "PostgreSQL 1", "ok    sql write")
	wantWords(t, c.run(t.Context(), "backup", t.TempDir()+"/x.db").errors, "pg_dump")
	for _, s := range both {
		if log := s.errors.String(); strings.Contains(log, "prepared statement") || strings.Contains(log, "status=500") || strings.Contains(log, "level=ERROR") {
			t.Errorf("the log:\n%s", log)
		}
		if _, ready := text(t, s.URL+"/readyz"); ready != "ok" {
			t.Errorf("/readyz: %s", ready)
		}
	}
}
