// Package channels tells users what is still unread some time after it came, by mail and by push. There is
// one rule: a target tells its user what is unread when its waiting time is over. What it tells is read
// from the inbox at that moment, so notices that were read, retracted, replaced or deleted meanwhile are
// not told, and notices that came together are told together.
//
// A round looks for targets that are due, decides what each has to tell, claims the message in SQL, sends
// it and finishes it in SQL. A claim has a fixed end and lapses after a minute; whoever sends the message
// then sends it with the same identity. So a notice is decided once for each target, and a message is sent
// at least once, and a second time only if the instance dies, or the line is cut, between the answer of
// the server and the commit.
package channels

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
)

const (
	every     = time.Second
	leaseLife = 10 * time.Second // if the instance that tells dies, another takes over after this time
	batchSize = 200              // targets of one look
	claimLife = time.Minute      // after this time, a message whose sender has vanished is sent again
	tellWait  = 40 * time.Second // to send one message, well below claimLife
	polls     = 32               // inboxes that are read at a time
)

// Store holds the targets; see store.
type Store interface {
	DueTargets(ctx context.Context, kind notifier.ReachKind, limit int) ([]notifier.ReachDue, error)
	Step(ctx context.Context, steps []*notifier.ReachStep) error
	// Holds reports whether a target is still as it was claimed.
	Holds(ctx context.Context, t *notifier.ReachTarget) (bool, error)
}

// Inbox reads inboxes; see notifier/inbox.
type Inbox interface {
	Poll(ctx context.Context, seq int64, q notifier.PollQuery) (notifier.Poll, error)
}

// Types knows the types of notices; see notifier/topic.
type Types interface {
	Type(slug string) (notifier.NoticeType, bool)
}

// Message is what a target tells its user.
type Message struct {
	Target  *notifier.ReachTarget // as claimed: UpTo and Urgent identify the message
	User    notifier.User
	App     int64 // as in notifier.ReachDue
	Zone    *time.Location
	Entries []notifier.Entry // newest first; at least one
	Badge   int64            // unread notices in the inbox
}

// Teller sends messages. It must end soon after ctx.
type Teller interface {
	Tell(ctx context.Context, m *Message) Outcome
}

// Way is one kind of targets.
type Way struct {
	Kind     notifier.ReachKind
	Teller   Teller
	Rate     int // messages a second; 0: no limit
	Parallel int // messages at a time

	Service     func(t *notifier.ReachTarget) string // the service that a target is told by; nil: all by one
	Refusing    Pauses                               // of a service that refuses several users in a row; zero: 5 s to 5 min
	Unreachable Pauses                               // of a service that cannot be reached; zero: 5 s to 5 min
}

// Config has everything that the stage needs.
type Config struct {
	Store   Store
	Inbox   Inbox
	Types   Types
	Looking func(ctx context.Context, seqs []int64) (map[int64]bool, error) // users who look at a page; nil: nobody
	Leases  lease.Source
	Log     *slog.Logger
	Now     func() time.Time // nil: time.Now
	Ways    []Way
}

// Stats counts since the start of this instance, by way. Away says that a service is at fault now.
type Stats struct {
	Told, Failed, Dead int64
	Away               bool
}

// Stage tells users. It is safe for concurrent use.
type Stage struct {
	c    Config
	ways []*way
}

// way is a Way at work.
type way struct {
	Way
	s     *Stage
	limit *rate.Limiter
	judge *judge

	told, failed, dead atomic.Int64
}

// New returns a stage.
func New(c Config) *Stage {
	if c.Now == nil {
		c.Now = time.Now
	}
	s := &Stage{c: c}
	for _, w := range c.Ways {
		limit := rate.NewLimiter(rate.Inf, 0)
		if w.Rate > 0 {
			limit = rate.NewLimiter(rate.Limit(w.Rate), max(w.Rate/100, 1)) // a second holds no more, also after a rest
		}
		for _, p := range []*Pauses{&w.Refusing, &w.Unreachable} {
			if *p == (Pauses{}) {
				*p = Pauses{First: 5 * time.Second, Last: 5 * time.Minute}
			}
		}
		j := &judge{kind: w.Kind, refusing: w.Refusing, unreachable: w.Unreachable, now: c.Now, log: c.Log, services: map[string]*standing{}}
		s.ways = append(s.ways, &way{Way: w, s: s, limit: limit, judge: j})
	}
	return s
}

// Run works until ctx ends and returns nil.
func (s *Stage) Run(ctx context.Context) error {
	var work errgroup.Group
	for _, w := range s.ways {
		name := "reach:" + string(w.Kind)
		work.Go(func() error {
			return lease.Work{Stage: name, Lease: s.c.Leases(name, leaseLife), Every: every, Do: w.round, Log: s.c.Log}.Run(ctx)
		})
	}
	return work.Wait()
}

// Round does one round of a kind at once, as Run does every second.
func (s *Stage) Round(ctx context.Context, kind notifier.ReachKind) error {
	for _, w := range s.ways {
		if w.Kind == kind {
			return w.round(ctx)
		}
	}
	return nil
}

// Stats returns the counts of each way.
func (s *Stage) Stats() map[notifier.ReachKind]Stats {
	all := map[notifier.ReachKind]Stats{}
	for _, w := range s.ways {
		all[w.Kind] = Stats{Told: w.told.Load(), Failed: w.failed.Load(), Dead: w.dead.Load(), Away: w.judge.away()}
	}
	return all
}

// Try sends one message to a target outside of the rounds, such as a test, and judges its answer like those of
// other messages. It takes no longer than they do. A service that is left in peace gets none: the outcome is Away.
func (s *Stage) Try(ctx context.Context, t *notifier.ReachTarget, tell func(context.Context) Outcome) Outcome {
	for _, w := range s.ways {
		if w.Kind != t.Kind {
			continue
		}
		service := w.service(t)
		if wait := w.judge.wait(service); wait > 0 {
			return Outcome{Verdict: Away, After: wait}
		}
		ctx, cancel := context.WithTimeout(ctx, tellWait)
		defer cancel()
		out := tell(ctx)
		if ctx.Err() != nil && out.Verdict == Away {
			return out
		}
		return w.judge.decide(ctx, service, t.Seq, out)
	}
	return Outcome{Verdict: Away}
}

// service returns the name of the service that a target is told by.
func (w *way) service(t *notifier.ReachTarget) string {
	if w.Service == nil {
		return ""
	}
	return w.Service(t)
}

// size is how many targets one look takes: no more than can be told long before the claims lapse.
func (w *way) size() int {
	if w.Rate > 0 {
		return min(batchSize, w.Rate*2)
	}
	return batchSize
}

// round tells what is due.
func (w *way) round(ctx context.Context) error {
	lease := w.s.c.Now().Add(leaseLife / 2)
	for {
		if w.Service == nil && w.judge.wait("") > 0 {
			return nil
		}
		due, err := w.s.c.Store.DueTargets(ctx, w.Kind, w.size())
		if err != nil || len(due) == 0 {
			return err
		}
		claimed, err := w.decideAll(ctx, due)
		if err != nil {
			return err
		}
		if err := w.tellAll(ctx, claimed); err != nil {
			return err
		}
		if len(due) < w.size() || !w.s.c.Now().Before(lease) {
			return nil // the next round extends the lease
		}
	}
}
