package demo

import (
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/config"
)

// TestTheDemonstrationIsConsistent checks, for different days, that notices are in order, that their
// types have names, that no link leads to the inbox, and that every user gets something.
func TestTheDemonstrationIsConsistent(t *testing.T) {
	t.Parallel()
	named := map[string]bool{}
	for _, typ := range types() {
		named[typ.Slug] = true
	}
	for _, now := range []time.Time{time.Date(2026, 7, 31, 23, 30, 0, 0, time.UTC), time.Date(2026, 12, 24, 0, 0, 0, 0, time.UTC)} {
		last, got := 1000*time.Hour, map[string]bool{}
		for _, n := range Notices(&config.Config{}, now) {
			if n.Ago > last {
				t.Errorf("%q comes after a newer one", n.Title)
			}
			last = n.Ago
			if n.Type != "" && !named[n.Type] {
				t.Errorf("the type %s of %q has no name", n.Type, n.Title)
			}
			if n.Link == "/inbox" {
				t.Errorf("the link of %q leads to the inbox", n.Title)
			}
			for _, name := range n.Target.Users {
				got[name] = true
			}
			if day, ok := strings.CutPrefix(n.Title, "The warehouse is closed on "); ok {
				if closes := n.EndsAt.Add(-time.Minute).Format("2 January"); closes != day {
					t.Errorf("closed on %s, but announced until the end of %s", day, closes)
				}
			}
		}
		for _, u := range Users() {
			if !got[u.Name] {
				t.Errorf("%s gets nothing", u.Name)
			}
		}
	}
}
