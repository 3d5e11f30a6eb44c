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

// resent is a notice that three users had before Redis lost everything.
type resent struct {
	*rig
	seqs   []int64
	notice notifier.Notice
}

// newResent sends a notice, edits it if a title is given, and loses Redis. No instance runs then.
func newResent(t *testing.T, title string) *resent {
	t.Helper()
	r := &resent{rig: newRig(t, redistest.Own(t).Client(t))}
	r.seqs = r.users(t, "all", 3)
	p := notices.New(r.config())
	stop := start(t, p)
	r.notice = send(t, p, toRole("all"))
	if title != "" {
		r.edit(t, p, r.notice.ID, title)
	}
	r.state(t, r.notice.ID, notifier.StateSent)
	stop()
	r.flushAll(t)()
	return r
}

// resend runs an instance that delivers the notice again, until nothing is left to do.
func (r *resent) resend(t *testing.T, c notices.Config) {
	t.Helper()
	if err := running(t, c).Resend(t.Context(), r.notice.CreatedAt.Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "nothing is left to do", func() bool { return r.backlog(t) == 0 })
}

// TestEditDuringAResendReachesEveryRecipient edits a notice after the resend has read it, while no inbox has a row that the edit
// could change.
func TestEditDuringAResendReachesEveryRecipient(t *testing.T) {
	t.Parallel()
	r := newResent(t, "")
	c := r.config()
	var edited atomic.Bool
	c.Inbox = &meanwhile{Inbox: r.inbox, before: func() {
		r.edit(t, running(t, r.config()), r.notice.ID, "Edited")
		edited.Store(true)
	}}
	r.resend(t, c)
	if !edited.Load() {
		t.Fatal("the resend delivered nothing")
	}
	r.everyoneReads(t, r.seqs, "Edited")
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

// An edited notice is resent by a row of work of its own, which is stored with the progress of the resend.
func TestResendIsCompleteAlthoughItLosesItsClaimMeanwhile(t *testing.T) {
	t.Parallel()
	r := newResent(t, "Edited")
	c := r.config()
	c.Store = &stolen{Store: r.store, claimed: make(chan struct{})}
	r.resend(t, c)
	r.everyoneReads(t, r.seqs, "Edited")
}
