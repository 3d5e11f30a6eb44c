// Package channels notifies users of unread notices by mail and by push, some time after the notices arrived. There
// is one rule: when its delay is over, a target sends everything that is unread. The contents are read from the inbox
// at that moment, so notices that were read, retracted, replaced or deleted in the meantime are not sent, and notices
// that arrived together are sent together.
//
// A round reads the targets that are due, decides what each must send, claims the message in SQL, sends it and
// records the result in SQL. A claim has a fixed end and expires after a minute; the next sender uses the same
// message identity. So each notice is decided once per target, and each message is sent at least once. It is
// sent twice only if the instance dies, or the connection breaks, between the response of the server and the
// commit, or if the instance is suspended between claim and commit for as long as the claim lasts.
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
	leaseLife = 10 * time.Second // if the sending instance dies, another one takes over after this time
	batchSize = 200              // targets read at a time
	claimLife = time.Minute      // after this time, a message whose sender has died is sent again
	sendWait  = 40 * time.Second // limit for sending one message, well below claimLife
	polls     = 32               // inboxes read concurrently
)

// Store stores the targets; see package store.
type Store interface {
	DueTargets(ctx context.Context, kind notifier.ReachKind, limit int) ([]notifier.ReachDue, error)
	Step(ctx context.Context, steps []*notifier.ReachStep) error
	// Holds reports whether a claim is still held.
	Holds(ctx context.Context, t *notifier.ReachTarget) (bool, error)
}

// Inbox reads inboxes; see notifier/inbox.
type Inbox interface {
	Poll(ctx context.Context, seq int64, q notifier.PollQuery) (notifier.Poll, error)
}

// Types provides the types of notices; see notifier/topic.
type Types interface {
	Type(slug string) (notifier.NoticeType, bool)
}

// Message is a message that a target sends to its user.
type Message struct {
	Target  *notifier.ReachTarget // as claimed: UpTo and Urgent identify the message
	User    notifier.User
	App     int64 // as in notifier.ReachDue
	Zone    *time.Location
	Entries []notifier.Entry // newest first; at least one
	Badge   int64            // unread notices in the inbox
}

// Sender sends messages. It must return soon after ctx ends.
type Sender interface {
	Send(ctx context.Context, m *Message) Outcome
}

// Way is one kind of target.
type Way struct {
	Kind     notifier.ReachKind
	Sender   Sender
	Rate     int // messages a second; 0: no limit
	Parallel int // messages at a time

	Service     func(t *notifier.ReachTarget) string // the service that delivers to a target; nil: one service for all
	Refusing    Pauses                               // for a service that refuses several users in a row; zero: 5 s to 5 min
	Unreachable Pauses                               // for a service that cannot be reached; zero: 5 s to 5 min
}

// Config contains the dependencies of a Stage.
type Config struct {
	Store   Store
	Inbox   Inbox
	Types   Types
	Viewing func(ctx context.Context, seqs []int64) (map[int64]bool, error) // users who are viewing a page; nil: none
	Leases  lease.Source
	Log     *slog.Logger
	Now     func() time.Time // nil: time.Now
	Ways    []Way
}

// Stats contains counts since the start of this instance, by way. Away reports that a service is failing now.
type Stats struct {
	Sent, Failed, Dead int64
	Away               bool
}

// Stage notifies users. It is safe for concurrent use.
type Stage struct {
	c    Config
	ways []*way
}

// way is the running state of a Way.
type way struct {
	Way
	s     *Stage
	limit *rate.Limiter
	judge *judge

	sent, failed, dead atomic.Int64
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
			limit = rate.NewLimiter(rate.Limit(w.Rate), max(w.Rate/100, 1)) // at most a hundredth of the rate per burst, even after a pause
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

// Round runs one round of a kind immediately, like Run does every second.
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
		all[w.Kind] = Stats{Sent: w.sent.Load(), Failed: w.failed.Load(), Dead: w.dead.Load(), Away: w.judge.away()}
	}
	return all
}

// Try sends one message to a target outside the rounds, such as a test, and judges the result like other results.
// It has the same time limit. While a service is paused, nothing is sent: the outcome is Away.
func (s *Stage) Try(ctx context.Context, t *notifier.ReachTarget, send func(context.Context) Outcome) Outcome {
	for _, w := range s.ways {
		if w.Kind != t.Kind {
			continue
		}
		service := w.service(t)
		if rest := w.judge.rest(service); rest > 0 {
			return Outcome{Verdict: Away, After: rest}
		}
		ctx, cancel := context.WithTimeout(ctx, sendWait)
		defer cancel()
		out := send(ctx)
		if ctx.Err() != nil && out.Verdict == Away {
			return out
		}
		return w.judge.decide(ctx, service, t.Seq, out)
	}
	return Outcome{Verdict: Away}
}

// service returns the name of the service that delivers to a target.
func (w *way) service(t *notifier.ReachTarget) string {
	if w.Service == nil {
		return ""
	}
	return w.Service(t)
}

// size returns the number of targets per round: only as many as can be sent well before the claims expire.
func (w *way) size() int {
	if w.Rate > 0 {
		return min(batchSize, w.Rate*2)
	}
	return batchSize
}

// round sends what is due.
func (w *way) round(ctx context.Context) error {
	lease := w.s.c.Now().Add(leaseLife / 2)
	for {
		if w.Service == nil && w.judge.rest("") > 0 {
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
		if err := w.sendAll(ctx, claimed); err != nil {
			return err
		}
		if len(due) < w.size() || !w.s.c.Now().Before(lease) {
			return nil // the next round renews the lease
		}
	}
}
