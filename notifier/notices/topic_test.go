package notices_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/notifier/route"
)

// types are topics as the store has them, and types with their own expiry.
type types struct {
	subscribers
	mu   sync.Mutex
	used []string
	err  error
}

func (y *types) Use(_ context.Context, types []string) error {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.used = append(y.used, types...)
	return y.err
}

// subscribers is the source of subscribers for route.
type subscribers struct{ *rig }

func (s subscribers) SubscribersOf(ctx context.Context, topics []notifier.Topic) ([]notifier.TopicSubscribers, error) {
	return s.store.SubscribersOf(ctx, topics)
}

func (s subscribers) Mutable(string) bool { return true }

func (r *rig) subscribe(t *testing.T, topic notifier.Topic, who notifier.Subscriber) {
	t.Helper()
	if _, _, err := r.store.Subscribe(t.Context(), notifier.Actor{}, notifier.Subscription{Topic: topic, Subscriber: who}); err != nil {
		t.Fatal(err)
	}
}

func TestRecipientsOfATopicAreToldTheReason(t *testing.T) {
	t.Parallel()
	for name, chunk := range map[string]int{"in one range": 500, "range by range": 7} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, redistest.Client(t))
			seqs := r.users(t, "picker", 40)
			topic := notifier.Topic{Type: "stock", Scope: "west"}
			r.subscribe(t, topic, notifier.Subscriber{Role: "picker"})
			for _, user := range []string{"u1", "u20", "u21"} {
				r.subscribe(t, topic, notifier.Subscriber{User: user})
			}
			c := r.config()
			c.Router, c.Chunk = route.New(r.store, subscribers{r}), chunk
			p := running(t, c)
			d := toRole("")
			d.Target, d.Type = notifier.Target{Topic: topic}, ""
			n := send(t, p, d)
			reasons := func(when, title string) {
				t.Helper()
				for i, seq := range seqs {
					want := "role:picker"
					if i == 0 || i == 19 || i == 20 {
						want = "topic:stock:west"
					}
					e, err := r.inbox.Find(t.Context(), seq, n.Key(), 0)
					if err != nil || e.Reason != want || e.Title != title || e.Scope != "west" || e.Type != "stock" {
						t.Errorf("%s: user %d sees %+v, %v; want %q for %q", when, seq, e, err, title, want)
					}
				}
			}
			reasons("sent", "The lift works again")
			r.everyoneHas(t, seqs, 1)
			r.edit(t, p, n.ID, "Stock is low")
			reasons("edited", "Stock is low")
			for _, seq := range seqs {
				if err := r.inbox.Erase(t.Context(), seq); err != nil {
					t.Fatal(err)
				}
			}
			if err := p.Resend(t.Context(), n.CreatedAt); err != nil {
				t.Fatal(err)
			}
			testkit.Eventually(t, "everybody has it again", func() bool { return r.allUnread(t, seqs, 1) })
			reasons("resent", "Stock is low")
		})
	}
}

func TestTypesOfAcceptedNoticesToInboxesAreRecorded(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	r.users(t, "all", 1)
	c := r.config()
	known := &types{}
	c.Types, c.Wait = known, 0
	p := notices.New(c)
	of := func(typ string, d notifier.Draft) notifier.Request {
		d.Type = typ
		return notifier.Request{Draft: d}
	}
	known.err = errors.New("sql is unavailable")
	for i, res := range p.SendAll(t.Context(), notifier.Actor{}, []notifier.Request{
		of("like", toUsers("u1")), of("NOT A TYPE", toUsers("u1")), of("like", toUsers("u1")), of("stock.low", toUsers("u1")), of("", toAudiences(3)),
	}) {
		if (res.Err != nil) != (i == 1) {
			t.Errorf("request %d: %v", i, res.Err)
		}
	}
	if want := []string{"like", "stock.low"}; !slices.Equal(known.used, want) {
		t.Errorf("recorded: %q, want %q", known.used, want)
	}
	if _, err := count(t, p, toUsers("u1")); err != nil || len(known.used) != 2 {
		t.Errorf("Count recorded %q, %v", known.used, err)
	}
}

func TestNoticeExpiresAsItsTypeSays(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	r.users(t, "all", 1)
	c := r.config()
	c.Wait = 0
	c.Limits.Expiry = func(typ string) time.Duration {
		return map[string]time.Duration{"short": time.Hour}[typ]
	}
	p := notices.New(c)
	for typ, want := range map[string]time.Duration{"short": time.Hour, "long": notifier.DefaultKeep} {
		d := toUsers("u1")
		d.Type = typ
		if n := send(t, p, d); n.ExpiresAt.Sub(n.CreatedAt) != want {
			t.Errorf("%s lives %v, want %v", typ, n.ExpiresAt.Sub(n.CreatedAt), want)
		}
		d.ExpiresIn = time.Minute
		if n := send(t, p, d); n.ExpiresAt.Sub(n.CreatedAt) != time.Minute {
			t.Errorf("%s with an expiry of a minute lives %v", typ, n.ExpiresAt.Sub(n.CreatedAt))
		}
	}
}

func TestWithdrawnSubjectLeavesEveryInbox(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 3)
	p := running(t, r.config())
	about := func(subject, sender string, d notifier.Draft) notifier.Notice {
		t.Helper()
		d.Subject, d.Sender = subject, notifier.KeyRef(sender)
		return send(t, p, d)
	}
	about("invoice:42", "shop", toRole("all"))
	mine := about("invoice:42", "bank", toUsers("u1"))
	about("invoice:4", "shop", toRole("all"))
	about("invoice:42", "shop", toAudiences(3))
	over := toUsers("u1")
	over.ExpiresIn = time.Millisecond
	about("invoice:42", "shop", over)
	gone := about("invoice:42", "shop", toUsers("u2"))
	retract(t, p, gone.ID)
	if n, err := p.WithdrawSubject(t.Context(), notifier.Actor{}, notifier.Withdrawal{Subject: "invoice"}); n != 0 || err != nil {
		t.Errorf("an unknown subject: %d, %v", n, err)
	}
	if n, err := p.WithdrawSubject(t.Context(), notifier.Actor{}, notifier.Withdrawal{Subject: "invoice:42", Sender: notifier.KeyRef("shop")}); n != 2 || err != nil {
		t.Errorf("withdrawn: %d, %v; want 2", n, err)
	}
	r.wantUnread(t, "withdrawn", []int64{0, 0, 0}, 3, seqs...)
	testkit.Eventually(t, "it leaves the other inboxes", func() bool { return r.allUnread(t, seqs[1:], 1) })
	if got := r.stateOf(t, mine.ID); got != notifier.StateSent {
		t.Errorf("the notice of another sender is %s", got)
	}
	if n, err := p.WithdrawSubject(t.Context(), notifier.Actor{}, notifier.Withdrawal{Subject: "invoice:42"}); n != 1 || err != nil {
		t.Errorf("with no sender given: %d, %v; want the remaining one", n, err)
	}
	testkit.Eventually(t, "it leaves every inbox", func() bool { return r.allUnread(t, seqs, 1) })
	if n, err := p.WithdrawSubject(t.Context(), notifier.Actor{}, notifier.Withdrawal{Subject: "invoice:42"}); n != 0 || err != nil {
		t.Errorf("repeated: %d, %v", n, err)
	}
}

// TestSubjectWithManyNoticesIsWithdrawnPageByPage has more notices than fit on one page.
func TestSubjectWithManyNoticesIsWithdrawnPageByPage(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 1)
	c := r.config()
	c.Wait = 0
	p := running(t, c)
	all := make([]notifier.Request, 450)
	for i := range all {
		all[i].Draft = toUsers("u1")
		all[i].Draft.Subject, all[i].Draft.Type = "invoice:42", "due."+string(rune('a'+i%26))
	}
	for i, res := range p.SendAll(t.Context(), notifier.Actor{}, all) {
		if res.Err != nil {
			t.Fatal(i, res.Err)
		}
	}
	if n, err := p.WithdrawSubject(t.Context(), notifier.Actor{}, notifier.Withdrawal{Subject: "invoice:42"}); n != 450 || err != nil {
		t.Errorf("withdrawn: %d, %v", n, err)
	}
	testkit.Eventually(t, "nothing is left to do", func() bool {
		left, err := r.store.Unfinished(t.Context(), 0, 1)
		return err == nil && len(left) == 0
	})
	r.everyoneHas(t, seqs, 0)
}
