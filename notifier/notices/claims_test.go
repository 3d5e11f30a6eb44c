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

func TestNoticesOfAnInstanceThatDiesAtOnceAreDelivered(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 300)
	c := r.config()
	c.Chunk, c.Wait = 100, 0
	dead := notices.New(c) // accepts, and dies before it delivers
	small, large, nobody := send(t, dead, toUsers("u1")), send(t, dead, toRole("all")), send(t, dead, toUsers("u2"))
	retract(t, dead, nobody.ID)
	running(t, c)
	r.state(t, small.ID, notifier.StateSent)
	r.state(t, large.ID, notifier.StateSent)
	r.state(t, nobody.ID, notifier.StateRetracted)
	r.everyoneHas(t, seqs[1:], 1)
	r.everyoneHas(t, seqs[:1], 2)
}

// slow is an inbox that counts deliveries and holds each until it is released.
type slow struct {
	notices.Inbox
	delivered atomic.Int64
	let       chan struct{}
}

func (s *slow) DeliverAll(ctx context.Context, all []notifier.Delivery) ([]notifier.Arrival, []error) {
	s.delivered.Add(int64(len(all)))
	select {
	case <-s.let:
	case <-ctx.Done(): // a failing test releases nothing
	}
	return s.Inbox.DeliverAll(ctx, all)
}

func TestInstancesLeaveClaimedWorkAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 300)
	c := r.config()
	held := &slow{Inbox: r.inbox, let: make(chan struct{})}
	c.Inbox, c.Chunk, c.Wait, c.Claim = held, 100, 0, time.Minute
	first := running(t, c)
	small, large := send(t, first, toUsers("u1")), send(t, first, toRole("all"))
	testkit.Eventually(t, "both deliveries have started", func() bool { return held.delivered.Load() >= 2 })
	other := r.config()
	looks := &watched{Store: r.store}
	other.Store, other.Chunk = looks, 100
	second := running(t, other)
	testkit.Eventually(t, "the other instance has looked several times", func() bool { return looks.n.Load() > 10 })
	close(held.let)
	r.state(t, small.ID, notifier.StateSent)
	r.state(t, large.ID, notifier.StateSent)
	r.everyoneHas(t, seqs[1:], 1)
	if n, taken := held.delivered.Load(), second.Stats().Reclaimed; n != 4 || taken != 0 {
		t.Errorf("%d deliveries, and the other instance took over %d; want 4 and 0", n, taken)
	}
}

func TestClaimOnWorkThatTakesLongIsRenewed(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	r.users(t, "all", 300)
	c := r.config()
	held := &slow{Inbox: r.inbox, let: make(chan struct{})}
	looks := &watched{Store: r.store}
	c.Inbox, c.Store, c.Chunk, c.Wait = held, looks, 100, 0
	p := running(t, c)
	for _, n := range []notifier.Notice{send(t, p, toUsers("u1")), send(t, p, toRole("all"))} {
		testkit.Eventually(t, "the claim was renewed twice", func() bool { return looks.renewals(n.ID) >= 2 })
	}
	close(held.let)
}

// watched counts the queries for work and the renewals of claims.
type watched struct {
	*store.Store
	n       atomic.Int64
	renewed sync.Map // of notices
}

func (w *watched) Renew(ctx context.Context, c notifier.Claim, notices, work []int64) error {
	for _, id := range notices {
		w.renewed.Store(id, w.renewals(id)+1)
	}
	return w.Store.Renew(ctx, c, notices, work)
}

func (w *watched) renewals(id int64) int {
	n, _ := w.renewed.LoadOrStore(id, 0)
	return n.(int)
}

func (w *watched) CountWork(ctx context.Context, limit int64) (int64, error) {
	w.n.Add(1)
	return w.Store.CountWork(ctx, limit)
}

func TestResendAfterALossRestoresLostNoticesAndChangesNothingElse(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Own(t).Client(t))
	seqs := r.users(t, "all", 300)
	c := r.config()
	c.Chunk = 100
	p := running(t, c)
	began := time.Now()
	large, small, taken := send(t, p, toRole("all")), send(t, p, toUsers("u1", "u2")), send(t, p, toRole("all"))
	kept := send(t, p, toUsers("u3"))
	for _, n := range []notifier.Notice{large, small, taken, kept} {
		r.state(t, n.ID, notifier.StateSent)
	}
	retract(t, p, taken.ID)
	r.state(t, taken.ID, notifier.StateRetracted)
	if _, err := r.inbox.Delete(t.Context(), seqs[2], kept.Key()); err != nil { // Redis keeps a record of this deletion
		t.Fatal(err)
	}
	for _, seq := range append([]int64{seqs[0], seqs[1]}, seqs[150:]...) { // removed without a trace, as in an old dataset
		if err := r.rdb.Del(t.Context(), r.keys.List(seq), r.keys.Hash(seq), r.keys.State(seq), r.keys.Gone(seq)).Err(); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second call changes nothing
		if err := p.Resend(t.Context(), began.Add(-time.Second)); err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, "everybody has it", func() bool {
			return r.backlog(t) == 0 && r.allUnread(t, seqs[2:], 1) && r.allUnread(t, seqs[:2], 2)
		})
		r.everyoneHas(t, seqs[2:], 1)
	}
	to, err := r.store.Recipients(t.Context(), taken.ID)
	if err != nil {
		t.Fatal(err)
	}
	r.deliver(t, taken, to.ToArray()) // a worker that was suspended all the time
	r.everyoneHas(t, seqs[2:], 1)
	r.put(t, notifier.Work{Kind: notifier.WorkRetract, NoticeID: large.ID, Again: true}) // outdated
	testkit.Eventually(t, "all is done", func() bool { return r.backlog(t) == 0 })
	r.everyoneHas(t, seqs[2:], 1)
}

func TestNoticeIsContinuedAtItsProgress(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 300)
	c := r.config()
	c.Chunk = 100
	n := send(t, notices.New(c), toRole("all"))
	if _, err := r.store.RetractNotice(t.Context(), notifier.Actor{}, n.ID, notifier.StateAccepted, notifier.StateSending); err != nil {
		t.Fatal(err)
	}
	if err := r.store.Advance(t.Context(), notifier.Claim{}, n.ID, n.Revision, notifier.StateSending, seqs[149]); err != nil {
		t.Fatal(err)
	}
	running(t, c)
	r.state(t, n.ID, notifier.StateSent)
	r.everyoneHas(t, seqs[:150], 0)
	r.everyoneHas(t, seqs[150:], 1)
}

func TestProgressOfALargeNoticeIsStoredInSQL(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 600)
	c := r.config()
	held := &slow{Inbox: r.inbox, let: make(chan struct{})}
	c.Inbox, c.Chunk, c.Claim = held, 2, time.Minute
	p := running(t, c)
	n := send(t, p, toRole("all"))
	testkit.Eventually(t, "the cursor is in SQL", func() bool {
		select {
		case held.let <- struct{}{}: // one range at a time
		default:
		}
		now, err := r.store.Notice(t.Context(), n.ID)
		if err != nil {
			t.Fatal(err)
		}
		return now.State == notifier.StateSending && now.Done > seqs[0] && now.Done < seqs[599]
	})
	close(held.let)
	r.state(t, n.ID, notifier.StateSent)
	r.everyoneHas(t, seqs, 1)
}

func TestOnItsWayReportsTheOldestPendingNotice(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	r.users(t, "all", 3)
	c := r.config()
	held := &slow{Inbox: r.inbox, let: make(chan struct{})}
	c.Inbox, c.Wait = held, 0
	p := running(t, c)
	way := func(when string, wantAt time.Time, want bool) {
		t.Helper()
		testkit.Eventually(t, when, func() bool {
			at, some, err := p.OnItsWay(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return some == want && at.Equal(wantAt)
		})
	}
	way("nothing was sent", time.Time{}, false)
	n := send(t, p, toUsers("u1"))
	way("one notice is on its way", n.CreatedAt, true)
	send(t, p, toRole("all"))
	way("the older one counts", n.CreatedAt, true)
	if err := p.Resend(t.Context(), n.CreatedAt); err != nil {
		t.Fatal(err)
	}
	way("a resend is pending", time.Time{}, true)
	close(held.let)
	way("everything is delivered", time.Time{}, false)
}
