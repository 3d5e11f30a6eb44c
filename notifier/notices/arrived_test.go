package notices_test

import (
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

// Inboxes are written to SQL up to 45 s later; mail and push must not wait for that.
func TestADeliveryMakesMailDueBeforeTheInboxIsWritten(t *testing.T) {
	t.Parallel()
	for name, chunk := range map[string]int{"a small notice": 500, "range by range": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, redistest.Client(t))
			seqs := r.users(t, "all", 3)
			email, half := "u2@example.com", notifier.When{Wait: 30 * time.Minute}
			if _, _, err := r.store.PutUser(t.Context(), notifier.PutUser{Name: "u2", Email: &email}); err != nil {
				t.Fatal(err)
			}
			if err := r.store.PutPreferences(t.Context(), seqs[1], notifier.PutPreferences{Mail: &half}); err != nil {
				t.Fatal(err)
			}
			c := r.config() // it writes no inbox to SQL
			c.Chunk = chunk
			p := running(t, c)
			send(t, p, toRole("all"))
			var target notifier.ReachTarget
			testkit.Eventually(t, "the target is due", func() bool {
				all, err := r.store.Targets(t.Context(), seqs[1])
				if err != nil || len(all) != 1 {
					t.Fatalf("targets %+v, %v", all, err)
				}
				target = all[0]
				return target.Newest > 0 && r.marked(t, r.keys.Dirty) > 0
			})
			if dirty, late := r.marked(t, r.keys.Dirty), r.marked(t, r.keys.Late); dirty != 1 || late != 2 {
				t.Errorf("%d inboxes are written within a second, and %d later; want only that of the user with a target at once", dirty, late)
			}
			page, err := r.inbox.Look(t.Context(), seqs[1], notifier.Query{Limit: 1})
			if err != nil || len(page.Entries) != 1 || page.Entries[0].At != target.Newest {
				t.Errorf("the target is due for the row of %d, the inbox has %+v, %v", target.Newest, page.Entries, err)
			}
		})
	}
}
