package live

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// The reading order is urgent, then soon, then calm when calm reads are due, with no user twice.
func TestUsersAreReadInTheOrderOfTheirPriority(t *testing.T) {
	t.Parallel()
	h := New(Config{})
	add := func(p priority, seqs ...int64) {
		for _, seq := range seqs {
			s := h.shard(seq)
			if s.users[seq] == nil {
				s.users[seq] = &user{hub: h, seq: seq, audience: 2}
			}
			h.queue.add(s.users[seq], p)
		}
	}
	taken := func(calmToo bool) (out [][2]int64) {
		users, _ := h.queue.next(calmToo)
		for _, a := range users {
			if a.who.Seq != a.u.seq || a.who.Audience != 2 {
				t.Errorf("reader %+v of user %d", a.who, a.u.seq)
			}
			out = append(out, [2]int64{a.u.seq, int64(a.p)})
		}
		return out
	}
	add(calm, 1, 2, 3)
	add(soon, 4, 2)
	add(urgent, 5)
	add(calm, 4, 5) // the priority does not fall
	if diff := cmp.Diff([][2]int64{{5, int64(urgent)}, {4, int64(soon)}, {2, int64(soon)}}, taken(false)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][2]int64{{1, int64(calm)}, {3, int64(calm)}}, taken(true)); diff != "" {
		t.Error(diff)
	}
	for seq := range int64(2*batch + 7) {
		add(soon, 10+seq)
	}
	for _, want := range []int{batch, batch, 7, 0} { // one right after the other, regardless of the time
		if got := taken(false); len(got) != want {
			t.Errorf("batch of %d, want %d", len(got), want)
		}
	}
}

// A badge that is read twice is sent twice if it changes in between, the second time before the events of the
// change.
func TestARequestThatComesWhileTheBadgeIsReadWaitsForThatRead(t *testing.T) {
	t.Parallel()
	failing := badgeFunc(func(context.Context, []notifier.Reader) ([]notifier.Badge, error) {
		return nil, errors.New("Redis is away")
	})
	h := New(Config{Badges: failing})
	u := &user{hub: h, seq: 1, audience: 2, confirmed: true}
	h.shard(u.seq).users[u.seq] = u
	h.queue.add(u, calm)
	reading, _ := h.queue.next(true)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.join(gone, u); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if users, _ := h.queue.next(true); len(users) != 0 {
		t.Errorf("%d more reads are queued", len(users))
	}
	if err := h.queue.read(t.Context(), reading); err == nil {
		t.Fatal("no error")
	}
	if users, _ := h.queue.next(false); len(users) != 1 || users[0].p != urgent {
		t.Errorf("after a failed read, the request waits for %+v", users)
	}
}
