package channels_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/channels"
)

// office is SQL, the lease and the mail server of several instances, in memory: no call may leave the synctest
// bubble. Each user has one unread notice, which is due.
type office struct {
	mu      sync.Mutex
	targets []notifier.ReachTarget
	holder  string
	until   time.Time
	slow    time.Duration // how long the mail server needs
	sent    []time.Time
	senders map[string]int
}

const newest = 1

func (o *office) DueTargets(_ context.Context, _ notifier.ReachKind, limit int) (due []notifier.ReachDue, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, t := range o.targets {
		if !t.DueAt.IsZero() && !t.DueAt.After(time.Now()) && len(due) < limit {
			due = append(due, notifier.ReachDue{ReachTarget: t})
		}
	}
	return due, nil
}

func (o *office) Step(_ context.Context, steps []*notifier.ReachStep) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range steps {
		t := &o.targets[s.Was.ID]
		if s.Done = t.UpTo == s.Was.UpTo && t.DueAt.Equal(s.Was.DueAt); s.Done {
			*t = s.To
		}
	}
	return nil
}

func (o *office) Holds(context.Context, *notifier.ReachTarget) (bool, error) { return true, nil }

func (o *office) Poll(context.Context, int64, notifier.PollQuery) (notifier.Poll, error) {
	return notifier.Poll{Newest: newest, Unread: 1, Entries: []notifier.Entry{{Key: "plain:1", At: newest, Content: notifier.Content{Type: "plain"}}}}, nil
}

// instance is one of several that share an office: its lease and its connection to the mail server.
type instance struct {
	*office
	name string
	life time.Duration
}

func (i instance) Hold(context.Context) (bool, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.holder != i.name && time.Now().Before(i.until) {
		return false, nil
	}
	i.holder, i.until = i.name, time.Now().Add(i.life)
	return true, nil
}

func (i instance) Release(context.Context) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.holder == i.name {
		i.until = time.Time{}
	}
	return nil
}

func (i instance) Send(context.Context, *channels.Message) channels.Outcome {
	i.mu.Lock()
	i.sent = append(i.sent, time.Now())
	i.senders[i.name]++
	i.mu.Unlock()
	if i.slow > 0 {
		<-time.After(i.slow)
	}
	return channels.Outcome{}
}

// run sends until ctx ends.
func (i instance) run(ctx context.Context, t *testing.T, rate int) {
	t.Helper()
	stage := channels.New(channels.Config{
		Store: i, Inbox: i, Types: new(model), Log: slog.New(slog.DiscardHandler),
		Leases: func(_ string, life time.Duration) lease.Lease { i.life = life; return i },
		Ways:   []channels.Way{{Kind: notifier.ReachMail, Sender: i, Rate: rate, Parallel: 8}},
	})
	if err := stage.Run(ctx); err != nil {
		t.Error(err)
	}
}

func TestAllInstancesTogetherKeepTheRate(t *testing.T) {
	t.Parallel()
	const rate, mails = 10, 300
	for _, slow := range []time.Duration{0, 15 * time.Second} { // the second is longer than the lease
		t.Run(fmt.Sprint("the server takes ", slow), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				o := &office{slow: slow, senders: map[string]int{}}
				for id := range int64(mails) {
					o.targets = append(o.targets, notifier.ReachTarget{ID: id, Seq: id, Kind: notifier.ReachMail, Daily: -1, DueAt: time.Now()})
				}
				ctx, cancel := context.WithCancel(t.Context())
				first, stop := context.WithCancel(ctx)
				var work sync.WaitGroup
				work.Go(func() { instance{office: o, name: "first"}.run(first, t, rate) })
				synctest.Wait() // until it holds the lease
				work.Go(func() { instance{office: o, name: "second"}.run(ctx, t, rate) })
				time.Sleep(12*time.Second + 300*time.Millisecond) //nolint:forbidigo // the time of the bubble
				stop()                                            // it stops in the middle of its work
				time.Sleep(15 * time.Minute)                      //nolint:forbidigo // the time of the bubble
				cancel()
				work.Wait()

				slices.SortFunc(o.sent, time.Time.Compare)
				if len(o.sent) != mails || o.senders["second"] == 0 || o.senders["first"] == 0 {
					t.Errorf("%d mails were sent, want %d: %v", len(o.sent), mails, o.senders)
				}
				for i := rate; i < len(o.sent); i++ {
					if took := o.sent[i].Sub(o.sent[i-rate]); took < time.Second {
						t.Fatalf("%d mails in %v, after %v", rate+1, took, o.sent[i].Sub(o.sent[0]))
					}
				}
			})
		})
	}
}
