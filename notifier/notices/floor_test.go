package notices_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
)

// flood sends more notices than inboxes keep records of.
func (r *rig) flood(t *testing.T, p *notices.Notices, to notifier.Draft, n int) {
	t.Helper()
	all := make([]notifier.Request, n)
	for i := range all {
		all[i].Draft = to
		all[i].Draft.Title = fmt.Sprint("Lift ", i)
	}
	for i, a := range p.SendAll(t.Context(), notifier.Actor{}, all) {
		if a.Err != nil {
			t.Fatalf("notice %d: %v", i, a.Err)
		}
	}
	testkit.Eventually(t, "all are delivered", func() bool {
		left, err := r.store.Unfinished(t.Context(), 0, 1)
		return err == nil && len(left) == 0
	})
}

func TestRedisLossAfterAFloodChangesNothing(t *testing.T) {
	t.Parallel()
	// More than an inbox and its records of removed notices can hold; range by range, each notice costs more.
	for name, of := range map[string]struct{ chunk, notices int }{"whole": {500, 900}, "range by range": {1, 760}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, redistest.Own(t).Client(t))
			seqs := r.users(t, "all", 2)
			c := r.config() // it would redeliver notices whose senders are slow, of which inboxes no longer have records
			c.Unread, c.Chunk = r.behind(nil), of.chunk
			p := running(t, c)
			began := time.Now().Add(-time.Minute)
			r.flood(t, p, toRole("all"), of.notices)
			page, err := r.inbox.Open(t.Context(), seqs[0])
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range page.Entries[:5] {
				if _, err := r.inbox.Delete(t.Context(), seqs[0], e.Key); err != nil {
					t.Fatal(err)
				}
			}
			r.settle(t)
			before := r.shelves(t, seqs)
			r.flushAll(t)()
			if err := p.Resend(t.Context(), began); err != nil {
				t.Fatal(err)
			}
			testkit.Eventually(t, "all notices are resent", func() bool {
				_, some, err := p.OnItsWay(t.Context())
				return err == nil && !some
			})
			if _, err := r.inbox.Badges(t.Context(), seqs); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, r.shelves(t, seqs)); diff != "" {
				t.Errorf("inboxes changed (-before +after):\n%.2000s", diff)
			}
		})
	}
}

func TestReplayedDeadLetterIsDeliveredAfterManyLaterNotices(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 1)
	p := running(t, r.config())
	if err := r.rdb.Set(t.Context(), r.keys.State(seqs[0]), "broken", 0).Err(); err != nil {
		t.Fatal(err)
	}
	n := send(t, p, toRole("all"))
	testkit.Eventually(t, "the entry is a dead letter", func() bool { return r.dead(t) == 1 })
	if err := r.rdb.Del(t.Context(), r.keys.State(seqs[0])).Err(); err != nil {
		t.Fatal(err)
	}
	r.flood(t, p, toRole("all"), 800)
	r.replayAll(t, p)
	testkit.Eventually(t, "it is at the top", func() bool {
		page, err := r.inbox.Look(t.Context(), seqs[0], notifier.Query{Limit: 1})
		return err == nil && len(page.Entries) == 1 && page.Entries[0].NoticeID == n.ID
	})
}
