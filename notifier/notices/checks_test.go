package notices_test

import (
	"context"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/delivery"
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

// put puts entries into the stream.
func (r *rig) put(t *testing.T, entries ...delivery.Entry) {
	t.Helper()
	if err := delivery.NewIntake(delivery.IntakeConfig{Redis: r.rdb, Keys: r.keys}).Put(t.Context(), entries...); err != nil {
		t.Fatal(err)
	}
}

func xadd(stream string, fields []string) *redis.XAddArgs {
	return &redis.XAddArgs{Stream: stream, Values: fields}
}

// backlog returns how many entries of the intake are unfinished.
func (r *rig) backlog(t *testing.T) int64 {
	t.Helper()
	groups, err := r.rdb.XInfoGroups(t.Context(), r.keys.Intake()).Result()
	if err != nil {
		t.Fatal(err)
	}
	return groups[0].Lag + groups[0].Pending
}

// counted returns how many users got a notice and how many have read it.
func (r *rig) counted(ctx context.Context, noticeID int64) (delivered, read int64, err error) {
	counts, err := r.inbox.Counts(ctx, []int64{noticeID})
	if err != nil {
		return 0, 0, err
	}
	return counts[0].Delivered, counts[0].Read, nil
}
