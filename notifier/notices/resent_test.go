package notices_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/store"
)

// TestEditDuringAResendReachesEveryRecipient edits a notice after the resend has read it, while no inbox has a row that the edit
// could change.
func TestEditDuringAResendReachesEveryRecipient(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Own(t).Client(t))
	seqs := r.users(t, "all", 3)
	c := r.config()
	p := notices.New(c)
	stop := start(t, p)
	n := send(t, p, toRole("all"))
	r.state(t, n.ID, notifier.StateSent)
	stop()
	r.flushAll(t)()

	var edited atomic.Bool
	c.Inbox = &meanwhile{Inbox: r.inbox, before: func() {
		r.edit(t, running(t, r.config()), n.ID, "Edited")
		edited.Store(true)
	}}
	p = running(t, c)
	if err := p.Resend(t.Context(), n.CreatedAt.Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "nothing is left to do", func() bool { return r.backlog(t) == 0 })
	if !edited.Load() {
		t.Fatal("the resend delivered nothing")
	}
	r.everyoneReads(t, seqs, "Edited")
}

// stolen is a store in which the first job that advances has lost its claim to another instance. By the time the job learns that, its
// own instance has claimed the work again.
type stolen struct {
	*store.Store
	mu      sync.Mutex
	once    sync.Once
	awaited atomic.Bool
	claimed chan struct{}
}

func (s *stolen) ClaimWork(ctx context.Context, c notifier.Claim, limit int) ([]notifier.Work, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	due, err := s.Store.ClaimWork(ctx, c, limit)
	if len(due) > 0 && s.awaited.CompareAndSwap(true, false) {
		close(s.claimed)
	}
	return due, err
}

func (s *stolen) AdvanceWork(ctx context.Context, c notifier.Claim, id, from int64, more ...notifier.Work) (held bool, err error) {
	first := false
	s.once.Do(func() { first = true })
	if !first {
		return s.Store.AdvanceWork(ctx, c, id, from, more...)
	}
	s.mu.Lock()
	other := notifier.Claim{Owner: c.Owner + 1, Until: time.Now().Add(time.Hour)}
	if err = s.GiveBack(ctx, c.Owner, nil, []int64{id}); err == nil {
		_, err = s.Store.ClaimWork(ctx, other, 1)
	}
	if err == nil {
		held, err = s.Store.AdvanceWork(ctx, c, id, from, more...)
	}
	if err == nil {
		err = s.GiveBack(ctx, other.Owner, nil, []int64{id})
	}
	s.awaited.Store(true)
	s.mu.Unlock()
	<-s.claimed
	return held, err
}

func TestResendIsCompleteAlthoughItLosesItsClaimMeanwhile(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Own(t).Client(t))
	seqs := r.users(t, "all", 3)
	c := r.config()
	p := notices.New(c)
	stop := start(t, p)
	n := send(t, p, toRole("all"))
	r.edit(t, p, n.ID, "Edited") // so that it is resent by work of its own
	r.state(t, n.ID, notifier.StateSent)
	stop()
	r.flushAll(t)()

	c.Store = &stolen{Store: r.store, claimed: make(chan struct{})}
	p = running(t, c)
	if err := p.Resend(t.Context(), n.CreatedAt.Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "nothing is left to do", func() bool { return r.backlog(t) == 0 })
	r.everyoneReads(t, seqs, "Edited")
}
