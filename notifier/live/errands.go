package live

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

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

// askAll asks which of the queued users have toasts waiting, and schedules the claiming of those toasts. If the
// call returns no answers, it assumes that all users have some.
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
	answered := len(waiting) == len(seqs)
	for i, u := range users {
		if !answered || waiting[i] {
			u.locked(func() { u.openTray().wanted(0) })
		}
	}
	switch {
	case !answered:
		return fmt.Errorf("check %d users for waiting toasts: %d answers: %w", len(seqs), len(waiting), errors.Join(err, notifier.ErrUnavailable))
	case err != nil:
		k.logFault(ctx, err)
	}
	return nil
}

// takeAll processes the trays that are due, claims their waiting toasts in one call, and sends them. A user who
// cannot be served is retried later and does not affect others.
func (k *courier) takeAll(ctx context.Context) error {
	now := k.hub.cfg.Now()
	var takes []*tray
	var seqs, nudges []int64
	for _, t := range k.next(now) {
		t.user.locked(func() {
			take, nudge := t.decide(now)
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
			k.hub.cfg.Log.WarnContext(ctx, "could not nudge other instances about toasts", "stage", "live", "err", err)
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

// logFault logs errors that keep toasts from some users, at most once per longestPause. Redis outages are
// logged by run.
func (k *courier) logFault(ctx context.Context, err error) {
	now := k.hub.cfg.Now()
	if errors.Is(err, notifier.ErrUnavailable) || now.Sub(k.faultLogged) < longestPause {
		return
	}
	k.faultLogged = now
	k.hub.cfg.Log.WarnContext(ctx, "could not deliver toasts to some users", "stage", "live", "err", err)
}

const (
	openingGrace = 2 * time.Second // the announcement of a toast raised so recently is assumed to be open
	voidAsks     = 32              // concurrent calls of Unread, which its implementation may combine
)

// Announcements reports the state of announcements.
type Announcements interface {
	// Unread reports whether a reader sees an announcement now and has not read it.
	Unread(ctx context.Context, r notifier.Reader, id int64) (bool, error)
}

// void settles the toasts of announcements that have ended, were retracted or have been read, and removes them
// from got. If the state of an announcement cannot be determined, its toast is shown. Toasts with an inbox row
// are handled by the script that claims them; announcements are in another Redis slot.
func (k *courier) void(ctx context.Context, takes []*tray, got []notifier.Taken) error {
	if k.hub.cfg.Announcements == nil {
		return nil
	}
	before := k.hub.cfg.Now().Add(-openingGrace)
	var g errgroup.Group
	g.SetLimit(voidAsks)
	for i, t := range takes {
		doubtful := func(x notifier.Toast) bool { return x.NoticeID > 0 && x.Key == "" && x.RaisedAt.Before(before) }
		if !slices.ContainsFunc(got[i].Toasts, doubtful) {
			continue
		}
		var who notifier.Reader
		t.user.locked(func() { who = notifier.Reader{Seq: t.user.seq, Audience: t.user.audience} })
		g.Go(func() error {
			var over []string
			var first error
			got[i].Toasts = slices.DeleteFunc(got[i].Toasts, func(x notifier.Toast) bool {
				if !doubtful(x) {
					return false
				}
				unread, err := k.hub.cfg.Announcements.Unread(ctx, who, x.NoticeID)
				if err != nil && first == nil {
					first = fmt.Errorf("check whether announcement %d is unread for user %d: %w", x.NoticeID, who.Seq, err)
				}
				if err != nil || unread {
					return false
				}
				over = append(over, x.ID)
				return true
			})
			if len(over) > 0 {
				if err := k.hub.cfg.Toasts.Ack(ctx, who.Seq, over); err != nil && !errors.Is(err, notifier.ErrNotFound) && first == nil {
					first = err
				}
			}
			return first
		})
	}
	return g.Wait()
}
