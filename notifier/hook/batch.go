package hook

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// sendAll sends the events of a hook that are due, until a time. While the hook fails, it sends only a few.
func (s *Stage) sendAll(ctx context.Context, h *notifier.SealedHook, until time.Time) error {
	signers, err := s.signers(ctx, h)
	if err != nil {
		return err
	}
	for {
		size := batchSize
		if !h.FailingSince.IsZero() {
			size = fewEvents
		}
		claimed, err := s.c.Store.ClaimEvents(ctx, &h.Hook, size, s.c.Now().Add(claimLife))
		if err != nil || len(claimed) == 0 {
			return err
		}
		failing, err := s.sendBatch(ctx, h, signers, claimed)
		if err != nil || failing || len(claimed) < size || ctx.Err() != nil || !time.Now().Before(until) {
			return err
		}
		h.FailingSince = time.Time{}
	}
}

// sendBatch sends claimed events, a few at a time, and stores each result when it arrives. It reports whether the hook fails.
func (s *Stage) sendBatch(ctx context.Context, h *notifier.SealedHook, signers []*standardwebhooks.Webhook, claimed []notifier.HookEvent) (failing bool, err error) {
	ended := make(chan result, len(claimed))
	stored := make(chan error, 1)
	go func() {
		var err error
		failing, err = s.record(context.WithoutCancel(ctx), &h.Hook, ended)
		stored <- err
	}()
	var work errgroup.Group
	work.SetLimit(parallel)
	var bad atomic.Int64 // failures in a row
	for _, e := range claimed {
		work.Go(func() error {
			var r result
			if ctx.Err() != nil || bad.Load() >= parallel || s.c.Now().Add(sendWait).After(e.DueAt) {
				r = s.release(e)
			} else if r = s.try(ctx, h, signers, e); r.Event.State == notifier.HookDelivered {
				bad.Store(0)
			} else {
				bad.Add(1)
			}
			ended <- r
			return nil
		})
	}
	_ = work.Wait()
	close(ended)
	err = <-stored
	return failing, err
}

// result is the result of a try.
type result struct {
	store.EndedTry
	gone bool // the receiver wants no more events
}

// release makes a claimed event due at once, without a try: the receiver has failed several times in a row, the claim would end first, or
// the instance stops.
func (s *Stage) release(e notifier.HookEvent) result {
	back := store.EndedTry{Event: e, Claim: e.DueAt, Released: true}
	back.Event.DueAt = s.c.Now()
	return result{EndedTry: back}
}

// try sends one claimed event.
func (s *Stage) try(ctx context.Context, h *notifier.SealedHook, signers []*standardwebhooks.Webhook, e notifier.HookEvent) result {
	ctx, cancel := lease.Finishing(ctx, time.Now().Add(sendWait), grace)
	defer cancel()
	sent, gone := s.send(ctx, h, signers, e)
	return result{sent, gone}
}

// record stores results until the channel is closed, and switches the hook off if they demand it. It reports whether the hook fails.
func (s *Stage) record(ctx context.Context, h *notifier.Hook, ended <-chan result) (failing bool, err error) {
	for first := range ended {
		some, gone := []store.EndedTry{first.EndedTry}, first.gone
		for more := true; more; {
			select {
			case r, ok := <-ended:
				if more = ok; ok {
					some, gone = append(some, r.EndedTry), gone || r.gone
				}
			default:
				more = false
			}
		}
		since, stored := s.c.Store.SettleEvents(ctx, h.ID, some)
		if stored != nil {
			err = errors.Join(err, stored)
			continue
		}
		if slices.ContainsFunc(some, func(e store.EndedTry) bool { return !e.Released }) {
			failing = !since.IsZero()
		}
		switch {
		case failing && gone:
			err = errors.Join(err, s.switchOff(ctx, h, since, notifier.HookGone))
		case failing && s.c.Now().Sub(since) >= offAfter:
			err = errors.Join(err, s.switchOff(ctx, h, since, notifier.HookFailing))
		}
	}
	return failing, err
}

// switchOff switches a hook off that has failed since a time, and notifies staff. It does nothing if the hook has succeeded since.
func (s *Stage) switchOff(ctx context.Context, h *notifier.Hook, since time.Time, why notifier.HookOff) error {
	now, err := s.c.Store.Hook(ctx, h.ID)
	if errors.Is(err, notifier.ErrNotFound) || err == nil && (now.Off != notifier.HookOn || !now.FailingSince.Equal(since)) {
		return nil
	}
	if err != nil {
		return err
	}
	if s.c.Alarm != nil {
		if err := s.c.Alarm(ctx, &now, why); err != nil {
			return err
		}
	}
	s.c.Log.WarnContext(ctx, "webhook switched off", "stage", "hook", "hook", h.Name, "reason", string(why), "err", now.Error)
	return s.c.Store.SwitchHookOff(ctx, &now, why)
}
