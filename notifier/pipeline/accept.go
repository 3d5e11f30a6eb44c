package pipeline

import (
	"context"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// accept stores the valid requests. It returns the result of each request, and the newly accepted
// notices that must be delivered.
func (p *Pipeline) accept(ctx context.Context, all []notifier.Request) (results []notifier.Result, fresh []*notifier.Acceptance) {
	results = make([]notifier.Result, len(all))
	if err := p.checkClock(); err != nil {
		for i := range results {
			results[i].Err = err
		}
		return results, nil
	}
	limits, now := p.limits()
	valid := make([]notifier.Draft, len(all))
	for i := range all {
		valid[i] = all[i].Draft
		results[i].Err = valid[i].Validate(limits)
	}
	defer func() { p.useTypes(ctx, valid, results) }()
	var drafts []notifier.Draft // drafts for inboxes
	var places []int            // index of each draft in results
	for i := range all {
		switch d := valid[i]; {
		case results[i].Err != nil:
		case len(d.Target.Audiences) > 0:
			results[i] = p.announce(ctx, d, all[i].Once, now)
		default:
			drafts, places = append(drafts, d), append(places, i)
		}
	}
	batch, err := p.routed(ctx, drafts, now)
	stored := make([]*notifier.Acceptance, 0, len(batch))
	for k, i := range places {
		if err == nil && batch[k].Err == nil {
			batch[k].Once = all[i].Once
			stored = append(stored, batch[k])
		}
	}
	if err == nil && len(stored) > 0 {
		err = p.store(ctx, stored)
	}
	for k, i := range places {
		switch {
		case err != nil:
			results[i].Err = err
		case batch[k].Err != nil:
			results[i].Err = batch[k].Err
		default:
			results[i] = notifier.Result{Notice: *batch[k].Notice, Replayed: batch[k].Replayed}
			if !batch[k].Replayed && batch[k].Notice.State == notifier.StateAccepted {
				fresh = append(fresh, batch[k])
			}
		}
	}
	return results, fresh
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

// useTypes reports the types of the accepted drafts; refused drafts leave no trace. If that fails,
// sending still succeeds.
func (p *Pipeline) useTypes(ctx context.Context, drafts []notifier.Draft, results []notifier.Result) {
	if p.c.Types == nil {
		return
	}
	var types []string
	met := map[string]bool{}
	for i := range drafts {
		if results[i].Err == nil && !met[drafts[i].Type] {
			met[drafts[i].Type] = true
			types = append(types, drafts[i].Type)
		}
	}
	if len(types) == 0 {
		return
	}
	if err := p.c.Types.Use(ctx, types); err != nil {
		p.c.Log.WarnContext(ctx, "could not record the types in use", "stage", "accept", "types", len(types), "err", err)
	}
}

// routed makes a notice of each draft and determines its recipients. A draft with unknown
// recipients gets an error.
func (p *Pipeline) routed(ctx context.Context, drafts []notifier.Draft, now time.Time) ([]*notifier.Acceptance, error) {
	if len(drafts) == 0 {
		return nil, nil
	}
	if err := p.admit(ctx); err != nil {
		return nil, fmt.Errorf("accept a notice: %w", err)
	}
	answers, err := p.c.Router.RecipientsAll(ctx, drafts)
	if err != nil {
		return nil, fmt.Errorf("route a draft: %w", err)
	}
	batch := make([]*notifier.Acceptance, len(drafts))
	for k, d := range drafts {
		n := &notifier.Notice{
			Draft: d, State: notifier.StateAccepted, CreatedAt: now, ExpiresAt: now.Add(d.ExpiresIn), Reasons: answers[k].Reasons,
		}
		batch[k] = &notifier.Acceptance{Notice: n, To: answers[k].To}
		switch {
		case answers[k].Err != nil:
			batch[k].Err = fmt.Errorf("route a draft: %w", answers[k].Err)
		case answers[k].To.IsEmpty():
			n.State = notifier.StateSent // there is nothing to deliver
		}
	}
	return batch, nil
}

// store writes notices to SQL. A replayed request gets the current state of the notice that it
// created.
func (p *Pipeline) store(ctx context.Context, batch []*notifier.Acceptance) error {
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
