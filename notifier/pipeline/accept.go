package pipeline

import (
	"context"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// accept stores submissions. It returns the result of each, and the newly accepted notices that must
// be delivered.
func (p *Pipeline) accept(ctx context.Context, batch ...*submission) (results []notifier.Result, fresh []*notifier.Acceptance) {
	_, now := p.limits()
	results = make([]notifier.Result, len(batch))
	for i, s := range batch {
		if results[i].Err = s.err; s.err == nil && s.announces() {
			results[i] = p.announce(ctx, s, now)
		}
	}
	var stored []*notifier.Acceptance
	var places []int // index of each in results
	for i, s := range batch {
		if s.err == nil && !s.announces() {
			stored, places = append(stored, s.acceptance(now)), append(places, i)
		}
	}
	err := p.store(ctx, stored)
	for k, i := range places {
		a := stored[k]
		switch {
		case err != nil:
			results[i].Err = err
		case a.Err != nil:
			results[i].Err = a.Err
		default:
			results[i] = notifier.Result{Notice: *a.Notice, Replayed: a.Replayed}
			if !a.Replayed && a.Notice.State == notifier.StateAccepted {
				fresh = append(fresh, a)
			}
		}
	}
	var types []string
	met := map[string]bool{}
	for i, s := range batch {
		if results[i].Err == nil && !met[s.Draft.Type] {
			met[s.Draft.Type] = true
			types = append(types, s.Draft.Type)
		}
	}
	p.useTypes(ctx, types)
	return results, fresh
}

// acceptance returns the notice of a draft for inboxes.
func (s *submission) acceptance(now time.Time) *notifier.Acceptance {
	n := &notifier.Notice{
		Draft: s.Draft, State: notifier.StateAccepted, CreatedAt: now, ExpiresAt: now.Add(s.Draft.ExpiresIn), Reasons: s.Reasons,
	}
	if s.To.IsEmpty() {
		n.State = notifier.StateSent // there is nothing to deliver
	}
	return &notifier.Acceptance{Notice: n, To: s.To, Once: s.once}
}

// checkClock refuses to accept notices while the clock is wrong: a notice that lives for half an
// hour would expire before its delivery. Another instance can accept it, or this one later.
func (p *Pipeline) checkClock() error {
	if p.c.Clock == nil {
		return nil
	}
	if err := p.c.Clock(); err != nil {
		return fmt.Errorf("accept a notice: %w", err)
	}
	return nil
}

// useTypes reports the types of accepted drafts; refused drafts leave no trace. If that fails,
// sending still succeeds.
func (p *Pipeline) useTypes(ctx context.Context, types []string) {
	if p.c.Types == nil || len(types) == 0 {
		return
	}
	if err := p.c.Types.Use(ctx, types); err != nil {
		p.c.Log.WarnContext(ctx, "could not record the types in use", "stage", "accept", "types", len(types), "err", err)
	}
}

// store writes notices to SQL. A replayed request gets the current state of the notice that it
// created.
func (p *Pipeline) store(ctx context.Context, batch []*notifier.Acceptance) error {
	if len(batch) == 0 {
		return nil
	}
	if err := p.c.Store.AcceptAll(ctx, batch); err != nil {
		return fmt.Errorf("accept a notice: %w", err)
	}
	var before []int64
	for _, a := range batch {
		if a.Err != nil {
			a.Err = fmt.Errorf("accept a notice: %w", a.Err)
		} else if a.Replayed {
			before = append(before, a.Notice.ID)
		}
	}
	if len(before) == 0 {
		return nil
	}
	known, err := p.c.Store.Contents(ctx, before)
	if err != nil {
		return fmt.Errorf("look up notices that were accepted before: %w", err)
	}
	for _, a := range batch {
		if n, ok := known[a.Notice.ID]; ok && a.Replayed {
			*a.Notice = n
		}
	}
	return nil
}
