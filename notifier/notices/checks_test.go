package notices_test

import (
	"context"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

// state waits until the notice is in a state.
func (r *rig) state(t *testing.T, id int64, want notifier.State) {
	t.Helper()
	testkit.Eventually(t, string(want), func() bool {
		n, err := r.store.Notice(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return n.State == want
	})
}

// everyoneHas checks that each inbox has exactly this many entries, all unread, and that its badge
// agrees.
func (r *rig) everyoneHas(t *testing.T, seqs []int64, want int64) {
	t.Helper()
	pipe := r.rdb.Pipeline()
	rows := make([]*redis.IntCmd, len(seqs))
	for i, seq := range seqs {
		rows[i] = pipe.LLen(t.Context(), r.keys.List(seq))
	}
	if _, err := pipe.Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	badges, err := r.inbox.Badges(t.Context(), seqs)
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i, seq := range seqs {
		if rows[i].Val() != want || badges[i].Unread != want {
			if wrong++; wrong <= 5 {
				t.Errorf("user %d has %d entries and a badge of %d, want %d", seq, rows[i].Val(), badges[i].Unread, want)
			}
		}
	}
	if wrong > 0 {
		t.Fatalf("%d of %d inboxes are wrong", wrong, len(seqs))
	}
}

// allUnread reports whether every badge has this number.
func (r *rig) allUnread(t *testing.T, seqs []int64, want int64) bool {
	t.Helper()
	badges, err := r.inbox.Badges(t.Context(), seqs)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range badges {
		if b.Unread != want {
			return false
		}
	}
	return true
}

// put adds rows of work.
func (r *rig) put(t *testing.T, work ...notifier.Work) {
	t.Helper()
	if err := r.store.AddWork(t.Context(), work...); err != nil {
		t.Fatal(err)
	}
}

// backlog returns how much work is unfinished.
func (r *rig) backlog(t *testing.T) int64 {
	t.Helper()
	n, err := r.store.CountWork(t.Context(), 1000)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// counted returns how many users received a notice and how many have read it.
func (r *rig) counted(ctx context.Context, noticeID int64) (delivered, read int64, err error) {
	counts, err := r.inbox.Counts(ctx, []int64{noticeID})
	if err != nil {
		return 0, 0, err
	}
	return counts[0].Delivered, counts[0].Read, nil
}
