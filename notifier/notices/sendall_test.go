package notices_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/store"
)

func once(key string) *notifier.Once {
	return &notifier.Once{Owner: notifier.KeyRef("shop"), Key: key, Digest: []byte(key)}
}

// commits counts the calls of AcceptAll.
type commits struct {
	*store.Store
	accepts atomic.Int64
}

func (c *commits) AcceptAll(ctx context.Context, of notifier.Deed, all []*notifier.Acceptance) error {
	c.accepts.Add(1)
	return c.Store.AcceptAll(ctx, of, all)
}

func TestSendAllUsesOneCommitAndReturnsEachResult(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 40)
	counted := &commits{Store: r.store}
	c := r.config()
	c.Store = counted
	p := running(t, c)
	first := p.SendAll(t.Context(), notifier.Actor{}, []notifier.Request{{Draft: toUsers("u7"), Once: once("a")}})[0]
	counted.accepts.Store(0)

	wrong := toUsers("u1")
	wrong.Title = ""
	other := once("a")
	other.Digest = []byte("other")
	results := p.SendAll(t.Context(), notifier.Actor{}, []notifier.Request{
		{Draft: toUsers("u1", "u2")},
		{Draft: wrong},
		{Draft: toUsers("u1", "nobody")},
		{Draft: toRole("all")},
		{Draft: toUsers("u7"), Once: once("a")},
		{Draft: toUsers("u7"), Once: other},
		{Draft: toAudiences(3)},
		{Draft: toUsers("u2")},
	})

	if n := counted.accepts.Load(); n != 1 {
		t.Errorf("%d calls of AcceptAll", n)
	}
	var bad *notifier.InvalidError
	for i, want := range []string{"", "title", "to", "", "", "", "", ""} {
		switch err := results[i].Err; {
		case want != "" && (!errors.As(err, &bad) || bad.Fields[0].Field != want):
			t.Errorf("request %d: %v; want a fault of %s", i, err, want)
		case i == 5 && !errors.Is(err, notifier.ErrOtherRequest):
			t.Errorf("request %d: %v", i, err)
		case want == "" && i != 5 && (err != nil || results[i].Notice.ID == 0):
			t.Errorf("request %d: %+v, %v", i, results[i].Notice, err)
		}
	}
	if again := results[4]; !again.Replayed || again.Notice.ID != first.Notice.ID || again.Notice.Recipients != 1 {
		t.Errorf("repeated request: %+v, first: %+v", again, first)
	}
	if !results[6].Notice.Announces() {
		t.Error("the announcement is missing")
	}
	for _, i := range []int{0, 3, 7} {
		r.state(t, results[i].Notice.ID, notifier.StateSent)
	}
	r.state(t, first.Notice.ID, notifier.StateSent)
	r.everyoneHas(t, seqs[:1], 2)
	r.everyoneHas(t, seqs[1:2], 3)
	r.everyoneHas(t, seqs[6:7], 2)
	r.everyoneHas(t, seqs[7:], 1)
}

func TestConcurrentRepeatsOfARequestSendOnce(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{"sqlite", "postgres"} {
		t.Run(sql, func(t *testing.T) {
			t.Parallel()
			address := ""
			if sql == "postgres" {
				address = sqltest.URL(t)
			}
			r := newRigOn(t, redistest.Client(t), address)
			seqs := r.users(t, "all", 1)
			p := running(t, r.config())
			var ids sync.Map
			var all sync.WaitGroup
			for range 100 {
				all.Go(func() {
					n, err := sendOnce(t, p, toUsers("u1"), once("x"))
					if err != nil || n.Title == "" {
						t.Errorf("%+v, %v", n, err)
					}
					ids.Store(n.ID, true)
				})
			}
			all.Wait()
			seen := 0
			ids.Range(func(id, _ any) bool {
				seen++
				r.state(t, id.(int64), notifier.StateSent)
				return true
			})
			if seen != 1 {
				t.Errorf("sent %d times", seen)
			}
			r.everyoneHas(t, seqs, 1)
		})
	}
}

func TestNoticesSentTogetherKeepTheirOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 1)
	p := running(t, r.config())
	var all []notifier.Request
	for i := range 150 {
		d := toUsers("u1")
		d.Title = fmt.Sprint("Lift ", i)
		all = append(all, notifier.Request{Draft: d})
	}
	results := p.SendAll(t.Context(), notifier.Actor{}, all)
	for _, res := range results {
		if res.Err != nil {
			t.Fatal(res.Err)
		}
		r.state(t, res.Notice.ID, notifier.StateSent)
	}
	page, err := r.inbox.Look(t.Context(), seqs[0], notifier.Query{Limit: 200})
	if err != nil || len(page.Entries) != 150 {
		t.Fatalf("%d entries, %v", len(page.Entries), err)
	}
	for i, e := range page.Entries {
		if want := fmt.Sprint("Lift ", 149-i); e.Title != want {
			t.Fatalf("row %d is %q, want %q", i, e.Title, want)
		}
	}
}

// stuck is an inbox that delivers nothing until it is released.
type stuck struct {
	notices.Inbox
	let chan struct{}
}

func (s stuck) DeliverAll(ctx context.Context, all []notifier.Delivery) ([]notifier.Arrival, []error) {
	select {
	case <-s.let:
	case <-ctx.Done(): // a failing test releases nothing
	}
	return s.Inbox.DeliverAll(ctx, all)
}

func TestOverloadedIntakeHoldsSendersBackAndThenRefusesThem(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 1)
	let := make(chan struct{})
	c := r.config()
	var away atomic.Bool
	c.Inbox, c.MaxBacklog, c.Wait, c.Away = stuck{r.inbox, let}, 10, 0, away.Load
	p := running(t, c)
	accepted := int64(0)
	var busy *notifier.TooManyError
	testkit.Eventually(t, "a sender is refused", func() bool {
		_, err := sendOnce(t, p, toUsers("u1"), nil)
		if err == nil {
			accepted++
		}
		return errors.As(err, &busy)
	})
	if busy.RetryAfter <= 0 || accepted < 10 {
		t.Errorf("refused after %d, with RetryAfter %v", accepted, busy.RetryAfter)
	}
	if res := p.SendAll(t.Context(), notifier.Actor{}, []notifier.Request{{Draft: toUsers("u1")}, {Draft: toAudiences(3)}}); !errors.As(res[0].Err, &busy) || res[1].Err != nil {
		t.Errorf("SendAll: %v, and the announcement: %v", res[0].Err, res[1].Err)
	}
	away.Store(true)
	if _, err := sendOnce(t, p, toUsers("u1"), nil); err != nil { // it waits in SQL
		t.Errorf("while Redis is away: %v", err)
	}
	away.Store(false)
	held := make(chan error, 1)
	go func() {
		_, err := sendOnce(t, p, toUsers("u1"), nil)
		held <- err
	}()
	close(let)
	if err := <-held; err != nil {
		t.Errorf("the held sender: %v", err)
	}
	testkit.Eventually(t, "all of them arrive", func() bool { return r.allUnread(t, seqs, min(accepted+2, 200)) })
}

func TestRequestMayBeRepeatedForADay(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 1)
	var ahead atomic.Int64
	c := r.config()
	c.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	p := running(t, c)
	repeat := func() int64 {
		t.Helper()
		n, err := sendOnce(t, p, toUsers("u1"), once("x"))
		if err != nil {
			t.Fatal(err)
		}
		return n.ID
	}
	first := repeat()
	ahead.Store(int64(23 * time.Hour))
	if again := repeat(); again != first {
		t.Errorf("repeated on the same day: notice %d", again)
	}
	ahead.Store(int64(50 * time.Hour))
	testkit.Eventually(t, "the request is forgotten", func() bool { return repeat() != first })
	testkit.Eventually(t, "both arrive", func() bool { return r.allUnread(t, seqs, 2) })
}
