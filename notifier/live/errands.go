package live

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// schedule is the trays by when they are due: a heap.
type schedule []*tray

func (s schedule) Len() int           { return len(s) }
func (s schedule) Less(i, j int) bool { return s[i].due.Before(s[j].due) }

func (s schedule) Swap(i, j int) {
	s[i], s[j] = s[j], s[i]
	s[i].place, s[j].place = i, j
}

// Push is for container/heap, as Pop is.
func (s *schedule) Push(x any) {
	t, _ := x.(*tray)
	t.place = len(*s)
	*s = append(*s, t)
}

// Pop removes the last.
func (s *schedule) Pop() any {
	last := len(*s) - 1
	t := (*s)[last]
	(*s)[last], *s = nil, (*s)[:last]
	t.place = -1
	return t
}

// next removes the trays that are due, a batch at most.
func (k *courier) next(now time.Time) (due []*tray) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(due) < takeBatch && len(k.trays) > 0 && !k.trays[0].due.After(now) {
		t, _ := heap.Pop(&k.trays).(*tray)
		due = append(due, t)
	}
	return due
}

// askAll asks whether anything waits for those who have come, and has it taken. When
// that cannot be told of anybody it is taken as if something did.
func (k *courier) askAll(ctx context.Context) error {
	k.mu.Lock()
	users := cut(&k.asks, batch)
	k.mu.Unlock()
	if len(users) == 0 {
		return nil
	}
	seqs := make([]int64, len(users))
	for i, u := range users {
		seqs[i] = u.seq
		k.with(u, func() { u.asking = false }) // who comes from now on asks again
	}
	waiting, err := k.hub.cfg.Toasts.Waiting(ctx, seqs)
	told := len(waiting) == len(seqs)
	for i, u := range users {
		if !told || waiting[i] {
			k.with(u, func() { u.openTray().wanted(0) })
		}
	}
	switch {
	case !told:
		return fmt.Errorf("ask for whom of %d users toasts wait: %d answers: %w", len(seqs), len(waiting), errors.Join(err, notifier.ErrUnavailable))
	case err != nil:
		k.complain(ctx, err)
	}
	return nil
}

// takeAll looks at the trays that are due, takes what waits in one call, and gives it.
// Who cannot be served is tried again later, and keeps nothing from others.
func (k *courier) takeAll(ctx context.Context) error {
	now := k.hub.cfg.Now()
	var takes []*tray
	var seqs, nudges []int64
	for _, t := range k.next(now) {
		k.with(t.user, func() {
			take, nudge := t.look(now)
			if take {
				takes, seqs = append(takes, t), append(seqs, t.user.seq)
			}
			if nudge {
				nudges = append(nudges, t.user.seq)
			}
			t.plan()
		})
	}
	if len(nudges) > 0 {
		if err := k.hub.cfg.Toasts.Nudge(ctx, nudges); err != nil {
			k.hub.cfg.Log.WarnContext(ctx, "other instances not told of toasts", "stage", "live", "err", err)
		}
	}
	if len(takes) == 0 {
		return nil
	}
	got, err := k.hub.cfg.Toasts.Take(ctx, seqs)
	if len(got) != len(seqs) {
		err = fmt.Errorf("%d answers: %w", len(got), errors.Join(err, notifier.ErrUnavailable))
		got = slices.Repeat([]notifier.Taken{{Err: err}}, len(seqs))
	}
	if unsure := k.void(ctx, takes, got); unsure != nil {
		k.complain(ctx, unsure)
	}
	for i, t := range takes {
		k.with(t.user, func() {
			switch {
			case got[i].Err == nil:
				t.user.deal(t, got[i])
			case errors.Is(got[i].Err, notifier.ErrUnavailable):
				t.acked, t.taking = nil, false
				t.wanted(0)
			default:
				t.failed()
			}
		})
	}
	if errors.Is(err, notifier.ErrUnavailable) {
		return fmt.Errorf("take toasts of %d users: %w", len(seqs), err)
	}
	if err != nil {
		k.complain(ctx, err)
	}
	return nil
}

// with calls f under a user's lock.
func (k *courier) with(u *user, f func()) {
	s := k.hub.shard(u.seq)
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// complain logs now and then what keeps toasts from users. That Redis is away it leaves
// to run.
func (k *courier) complain(ctx context.Context, err error) {
	now := k.hub.cfg.Now()
	if errors.Is(err, notifier.ErrUnavailable) || now.Sub(k.complained) < longestPause {
		return
	}
	k.complained = now
	k.hub.cfg.Log.WarnContext(ctx, "toasts of some users not brought", "stage", "live", "err", err)
}
