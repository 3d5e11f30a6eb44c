package notices_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/delivery"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/store"
)

func TestRelayAddsNoticesThatNeverReachedTheIntake(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 300)
	c := r.config()
	c.Chunk, c.Wait = 100, 0
	dead := notices.New(c) // accepts, and dies before anything is added
	small, large, nobody := send(t, dead, toUsers("u1")), send(t, dead, toRole("all")), send(t, dead, toUsers("u2"))
	retract(t, dead, nobody.ID)
	running(t, c)
	r.state(t, small.ID, notifier.StateSent)
	r.state(t, large.ID, notifier.StateSent)
	r.state(t, nobody.ID, notifier.StateRetracted)
	r.everyoneHas(t, seqs[1:], 1)
	r.everyoneHas(t, seqs[:1], 2)
}

func TestStreamLostDuringDeliveryIsRebuilt(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 5000)
	c := r.config()
	c.Chunk = 100
	p := running(t, c)
	n := send(t, p, toRole("all"))
	for at := int64(500); at < 5000; at += 1500 {
		testkit.Eventually(t, "delivery is under way", func() bool {
			d, _, err := r.counted(t.Context(), n.ID)
			return err == nil && d >= at
		})
		if err := r.rdb.Del(t.Context(), r.keys.Intake()).Err(); err != nil {
			t.Fatal(err)
		}
	}
	r.state(t, n.ID, notifier.StateSent)
	r.everyoneHas(t, seqs, 1)
}

// slow is an inbox that counts deliveries and holds each until it is released.
type slow struct {
	notices.Inbox
	delivered atomic.Int64
	let       chan struct{}
}

func (s *slow) DeliverAll(ctx context.Context, all []notifier.Delivery) []error {
	s.delivered.Add(int64(len(all)))
	<-s.let
	return s.Inbox.DeliverAll(ctx, all)
}

func TestRelayDoesNotAddPendingNoticesAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 300)
	c := r.config()
	held := &slow{Inbox: r.inbox, let: make(chan struct{})}
	c.Inbox, c.Chunk, c.Wait, c.Idle = held, 100, 0, time.Minute
	rounds := &watched{Store: r.store}
	rounds.blind.Store(true) // with its short interval the relay could be faster than the intake
	c.Store = rounds
	p := notices.New(c)
	small, large := send(t, p, toUsers("u1")), send(t, p, toRole("all")) // both into the stream, because nothing runs yet
	start(t, p)
	testkit.Eventually(t, "both deliveries have started", func() bool { return held.delivered.Load() >= 2 })
	rounds.blind.Store(false)
	seen := rounds.n.Load()
	testkit.Eventually(t, "the relay has looked several times", func() bool { return rounds.n.Load() > seen+10 })
	if n := r.rdb.XLen(t.Context(), r.keys.Intake()).Val(); n != 2 {
		t.Errorf("%d entries are in the stream, want 2", n)
	}
	rounds.blind.Store(true) // it must not touch batons either, which move while it looks
	close(held.let)
	r.state(t, small.ID, notifier.StateSent)
	r.state(t, large.ID, notifier.StateSent)
	r.everyoneHas(t, seqs[1:], 1)
	if n := held.delivered.Load(); n != 4 {
		t.Errorf("%d deliveries, want 4", n)
	}
}

// watched counts the looks of the relay, which finds nothing while blind.
type watched struct {
	*store.Store
	n     atomic.Int64
	blind atomic.Bool
}

func (w *watched) Unfinished(ctx context.Context, after int64, limit int) ([]notifier.Notice, error) {
	w.n.Add(1)
	if w.blind.Load() {
		return nil, nil
	}
	return w.Store.Unfinished(ctx, after, limit)
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
	if _, err := r.inbox.Delete(t.Context(), seqs[2], kept.Key()); err != nil { // Redis remembers this deletion
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
	r.deliver(t, taken, to.ToArray()) // a worker that slept through all of it
	r.everyoneHas(t, seqs[2:], 1)
	r.put(t, delivery.Entry{Kind: delivery.Retract, NoticeID: large.ID, Again: true}) // an outdated baton
	testkit.Eventually(t, "all is done", func() bool { return r.backlog(t) == 0 })
	r.everyoneHas(t, seqs[2:], 1)
}

func TestResendWorksWhileTheGateIsClosed(t *testing.T) {
	t.Parallel()
	raw := redistest.Client(t)
	r := newRig(t, raw)
	closed := redistest.Own(t)
	c := r.config()
	c.Redis, c.Raw = impatient(t, closed), raw
	closed.Crash(t)
	if err := notices.New(c).Resend(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if n := raw.XLen(t.Context(), r.keys.Intake()).Val(); n != 1 {
		t.Errorf("%d entries", n)
	}
}

func TestRelayContinuesANoticeAtItsProgress(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 300)
	c := r.config()
	c.Chunk = 100
	n := send(t, notices.New(c), toRole("all"))
	if _, err := r.store.RetractNotice(t.Context(), notifier.Actor{}, n.ID, notifier.StateAccepted, notifier.StateSending); err != nil {
		t.Fatal(err)
	}
	if err := r.store.Advance(t.Context(), n.ID, n.Revision, notifier.StateSending, seqs[149]); err != nil {
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
	c.Inbox, c.Chunk, c.Idle = held, 2, time.Minute
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
