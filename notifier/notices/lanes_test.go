package notices_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
)

// panicking is an inbox that panics when a notice with a certain title is delivered.
type panicking struct {
	notices.Inbox
	at string
}

func (p *panicking) DeliverAll(ctx context.Context, all []notifier.Delivery) ([]notifier.Arrival, []error) {
	for _, d := range all {
		if strings.Contains(string(d.Content), p.at) {
			panic("at " + p.at)
		}
	}
	return p.Inbox.DeliverAll(ctx, all)
}

func TestNoticeThatMakesDeliveryPanicIsBuriedAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 2)
	c := r.config()
	c.Inbox, c.Wait = &panicking{r.inbox, "poison"}, 0
	p := notices.New(c)
	bad := toUsers("u1")
	bad.Title = "poison"
	send(t, p, toUsers("u1", "u2"))
	send(t, p, bad)
	send(t, p, toUsers("u1", "u2"))
	start(t, p)
	testkit.Eventually(t, "it is a dead letter", func() bool { return r.dead(t) == 1 && r.backlog(t) == 0 })
	r.everyoneHas(t, seqs, 2)
	if letter := r.letters(t)[0]; letter.Reason != "panic: at poison" || letter.Tries != 4 {
		t.Errorf("%+v", letter)
	}
}

func TestWorkWithoutAnyResultIsBuried(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	r.users(t, "all", 2)
	p := notices.New(r.config())
	n := send(t, p, toUsers("u1"))
	r.put(t, notifier.Work{Kind: notifier.WorkDeliver, NoticeID: n.ID, Again: true})
	for range 20 { // an instance that claims them and dies
		testkit.Eventually(t, "both are claimed again", func() bool { return r.die(t) == 2 })
	}
	start(t, p)
	testkit.Eventually(t, "both are dead letters", func() bool { return r.dead(t) == 2 && r.backlog(t) == 0 })
	for _, letter := range r.letters(t) {
		if letter.Reason != "attempted repeatedly without any result" {
			t.Errorf("%+v", letter)
		}
	}
}

// TestNoticesStayInOrder sends more notices than an instance accepts directly, and some after them.
func TestNoticesStayInOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 1)
	c := r.config()
	held := &slow{Inbox: r.inbox, let: make(chan struct{})}
	c.Inbox, c.Wait, c.Claim = held, 0, time.Minute
	p := running(t, c)
	var want []int64
	many := make([]notifier.Request, 500)
	for i := range many {
		many[i].Draft = toUsers("u1")
	}
	for range 6 {
		for _, res := range p.SendAll(t.Context(), notifier.Actor{}, many) {
			if res.Err != nil {
				t.Fatal(res.Err)
			}
			want = append(want, res.Notice.ID)
		}
	}
	close(held.let)
	for range 20 {
		want = append(want, send(t, p, toUsers("u1")).ID)
	}
	testkit.Eventually(t, "all are delivered", func() bool { return r.backlog(t) == 0 })
	slices.Reverse(want)
	if got := r.holds(t, seqs[0], 200); !slices.Equal(got, want[:200]) {
		t.Errorf("the inbox has %v, want %v", got, want[:200])
	}
}

func TestStoppedInstanceGivesUpItsClaims(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 300)
	c := r.config()
	held := &slow{Inbox: r.inbox, let: make(chan struct{})}
	c.Inbox, c.Chunk, c.Wait, c.Claim = held, 10, 0, time.Hour
	first := notices.New(c)
	stop := start(t, first)
	for range 5 { // more than are processed at a time
		send(t, first, toRole("all"))
	}
	testkit.Eventually(t, "some have begun", func() bool { return held.delivered.Load() >= 3 })
	go func() { held.let <- struct{}{}; close(held.let) }()
	stop()
	c = r.config()
	c.Claim = time.Hour
	running(t, c)
	testkit.Eventually(t, "all are delivered", func() bool { return r.backlog(t) == 0 })
	r.everyoneHas(t, seqs, 5)
}

// TestStreamOfAnEarlierVersionIsDrained sets up what an instance of the previous release leaves.
func TestStreamOfAnEarlierVersionIsDrained(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 30)
	c := r.config()
	c.Chunk = 10
	p := notices.New(c)
	stop := start(t, p)
	sent, left := send(t, p, toRole("all")), send(t, p, toUsers("u1"))
	r.state(t, sent.ID, notifier.StateSent)
	r.state(t, left.ID, notifier.StateSent)
	stop()
	for _, seq := range seqs { // lost from Redis
		if err := r.inbox.Erase(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
	}
	waits := send(t, notices.New(c), toUsers("u2"))
	stream, id := r.keys.Intake(), func(n notifier.Notice) string { return strconv.FormatInt(n.ID, 10) }
	for _, fields := range [][]string{
		{"notice", id(waits), "key", waits.Key(), "seqs", strconv.FormatInt(seqs[1], 10), "content", "x"},   // also in SQL
		{"notice", id(sent), "from", strconv.FormatInt(seqs[9], 10), "to", strconv.FormatInt(seqs[19], 10)}, // a range that failed
		{"notice", id(left), "again", "1"}, // a replay
		{"notice", "0", "from", id(left), "to", strconv.FormatInt(time.Now().UnixMilli(), 10), "again", "1"},
		{"notice", "x", "wings", "2"},
	} {
		if err := r.rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: stream, Values: fields}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	start(t, p)
	testkit.Eventually(t, "the stream is gone", func() bool {
		return r.rdb.Exists(t.Context(), stream).Val() == 0 && r.backlog(t) == 0
	})
	r.everyoneHas(t, seqs[:2], 1)
	r.everyoneHas(t, seqs[10:20], 1)
	r.everyoneHas(t, append(slices.Clone(seqs[2:10]), seqs[20:]...), 0)
}
