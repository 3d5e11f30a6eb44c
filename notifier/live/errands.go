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

// schedule is a heap of trays, ordered by due time.
type schedule []*tray

func (s schedule) Len() int           { return len(s) }
func (s schedule) Less(i, j int) bool { return s[i].due.Before(s[j].due) }

func (s schedule) Swap(i, j int) {
	s[i], s[j] = s[j], s[i]
	s[i].place, s[j].place = i, j
}

// Push is part of heap.Interface.
func (s *schedule) Push(x any) {
	t, _ := x.(*tray)
	t.place = len(*s)
	*s = append(*s, t)
}

// Pop is part of heap.Interface.
func (s *schedule) Pop() any {
	last := len(*s) - 1
	t := (*s)[last]
	(*s)[last], *s = nil, (*s)[:last]
	t.place = -1
	return t
}

// next removes the trays that are due, up to one batch.
func (k *courier) next(now time.Time) (due []*tray) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(due) < takeBatch && len(k.trays) > 0 && !k.trays[0].due.After(now) {
		t, _ := heap.Pop(&k.trays).(*tray)
		due = append(due, t)
	}
	return due
}

// askAll asks which of the queued users have toasts waiting, and has those taken. If the call gives
// no answers, it assumes that all of them have.
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
		u.locked(func() { u.asking = false }) // a user who connects from now on is queued again
	}
	waiting, err := k.hub.cfg.Toasts.Waiting(ctx, seqs)
	told := len(waiting) == len(seqs)
	for i, u := range users {
		if !told || waiting[i] {
			u.locked(func() { u.openTray().wanted(0) })
		}
	}
	switch {
	case !told:
		return fmt.Errorf("check %d users for waiting toasts: %d answers: %w", len(seqs), len(waiting), errors.Join(err, notifier.ErrUnavailable))
	case err != nil:
		k.logFault(ctx, err)
	}
	return nil
}

// takeAll looks at the trays that are due, takes their waiting toasts in one call, and gives them
// out. A user who cannot be served is retried later and does not affect others.
func (k *courier) takeAll(ctx context.Context) error {
	now := k.hub.cfg.Now()
	var takes []*tray
	var seqs, nudges []int64
	for _, t := range k.next(now) {
		t.user.locked(func() {
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
			k.hub.cfg.Log.WarnContext(ctx, "could not tell other instances about toasts", "stage", "live", "err", err)
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
		k.logFault(ctx, unsure)
	}
	for i, t := range takes {
		t.user.locked(func() {
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
		k.logFault(ctx, err)
	}
	return nil
}

// logFault logs errors that keep toasts from some users, at most once per longestPause. That Redis
// is away is logged by run.
func (k *courier) logFault(ctx context.Context, err error) {
	now := k.hub.cfg.Now()
	if errors.Is(err, notifier.ErrUnavailable) || now.Sub(k.faultLogged) < longestPause {
		return
	}
	k.faultLogged = now
	k.hub.cfg.Log.WarnContext(ctx, "could not deliver toasts to some users", "stage", "live", "err", err)
}
