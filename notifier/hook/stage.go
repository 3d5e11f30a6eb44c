package hook

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

const (
	every     = time.Second / 2
	leaseLife = 10 * time.Second // if the sending instance dies, another one takes over after this time
	claimLife = time.Minute      // after this time, what an instance that has died was sending is sent again
	batchSize = 200              // events claimed at a time
	fewEvents = 4                // the same of a hook that fails
	parallel  = 4                // messages at a time, of each hook
	limitWait = 10 * time.Second // between two counts of the events that wait
	tidyWait  = time.Hour
	grace     = 3 * time.Second // for messages in progress when the instance stops
)

// StageConfig contains the dependencies of a Stage.
type StageConfig struct {
	Store  *store.Store
	Hooks  *Hooks
	Client *http.Client // sends to public addresses and those that the operator allows; see NewClient
	Plain  *http.Client // sends without encryption, only to addresses that the operator allows
	Leases lease.Source
	Wake   <-chan struct{} // starts a round early; may be nil
	// Alarm notifies staff that a hook is about to be switched off. If it fails, the hook stays on until it succeeds. A call may be repeated.
	Alarm func(ctx context.Context, h *notifier.Hook, why notifier.HookOff) error
	Log   *slog.Logger
	Now   func() time.Time // nil: time.Now
	Most  int64            // events that wait for a hook; 0: notifier.MaxHookWaiting
}

// Stats contains counts of events since the start of this instance.
type Stats struct{ Delivered, Failed, Dropped int64 }

// Stage sends events. It is safe for concurrent use.
type Stage struct {
	c     StageConfig
	hooks *Hooks

	mu      sync.Mutex
	sending map[int64]bool // hooks of which this instance is sending
	work    sync.WaitGroup
	limited time.Time // when events were last counted
	tidied  time.Time

	delivered, failed, dropped atomic.Int64
}

// NewStage returns a stage.
func NewStage(c StageConfig) *Stage {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Most == 0 {
		c.Most = notifier.MaxHookWaiting
	}
	return &Stage{c: c, hooks: c.Hooks, sending: map[int64]bool{}}
}

// Run works until ctx ends and returns nil.
func (s *Stage) Run(ctx context.Context) error {
	defer s.work.Wait()
	return lease.Work{Stage: "hook", Lease: s.c.Leases("hooks", leaseLife), Every: every, Wake: s.c.Wake, Do: s.round, Log: s.c.Log}.Run(ctx)
}

// Stats returns the counts.
func (s *Stage) Stats() Stats {
	return Stats{Delivered: s.delivered.Load(), Failed: s.failed.Load(), Dropped: s.dropped.Load()}
}

// round begins to send what is due. Each hook is sent to on its own, so that one that stalls delays no other; one that is still being
// sent to from an earlier round is left alone.
func (s *Stage) round(ctx context.Context) error {
	if err := errors.Join(s.c.Store.TurnAnnouncements(ctx), s.tend(ctx)); err != nil {
		return err
	}
	due, err := s.c.Store.DueHooks(ctx)
	if err != nil {
		return err
	}
	until := time.Now().Add(leaseLife / 2) // then the next round, under a renewed lease, goes on
	for i := range due {
		if h := &due[i]; s.begin(h.ID) {
			s.work.Go(func() {
				defer s.end(h.ID)
				if err := s.sendAll(ctx, h, until); err != nil && ctx.Err() == nil {
					s.c.Log.WarnContext(ctx, "could not send events; retrying", "stage", "hook", "hook", h.Name, "err", err)
				}
			})
		}
	}
	return nil
}

func (s *Stage) begin(hook int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sending[hook] {
		return false
	}
	s.sending[hook] = true
	return true
}

func (s *Stage) end(hook int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sending, hook)
}

// tend keeps the number of stored events within its limits.
func (s *Stage) tend(ctx context.Context) error {
	now := s.c.Now()
	if now.Sub(s.tidied).Abs() >= tidyWait {
		if err := s.c.Store.TidyHookEvents(ctx); err != nil {
			return err
		}
		s.tidied = now
	}
	if now.Sub(s.limited).Abs() < limitWait {
		return nil
	}
	all, err := s.c.Store.Hooks(ctx)
	if err != nil {
		return err
	}
	for i := range all {
		h := &all[i]
		if h.Waiting <= s.c.Most {
			continue
		}
		n, err := s.c.Store.LimitHookEvents(ctx, h.ID, s.c.Most)
		if s.dropped.Add(n); err != nil {
			return err
		}
		s.c.Log.WarnContext(ctx, "dropped the oldest events of a webhook: too many wait", "stage", "hook", "hook", h.Name, "count", n)
	}
	s.limited = now
	return nil
}
