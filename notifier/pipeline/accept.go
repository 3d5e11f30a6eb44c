package pipeline

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// accept stores those requests that are right, and answers what became of each,
// and which of them are to be delivered.
func (p *Pipeline) accept(ctx context.Context, all []notifier.Request) (results []notifier.Result, fresh []*notifier.Acceptance) {
	results = make([]notifier.Result, len(all))
	limits, now := p.limits()
	valid := make([]notifier.Draft, len(all))
	for i := range all {
		valid[i] = all[i].Draft
		results[i].Err = valid[i].Validate(limits)
	}
	p.useTypes(ctx, valid, results)
	var drafts []notifier.Draft // for inboxes
	var places []int            // of these in results
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

// useTypes tells of the types of drafts that are right. That a type is not known yet
// keeps nobody from sending.
func (p *Pipeline) useTypes(ctx context.Context, drafts []notifier.Draft, results []notifier.Result) {
	if p.c.Types == nil {
		return
	}
	var types []string
	for i := range drafts {
		if results[i].Err == nil && !slices.Contains(types, drafts[i].Type) {
			types = append(types, drafts[i].Type)
		}
	}
	if len(types) == 0 {
		return
	}
	if err := p.c.Types.Use(ctx, types); err != nil {
		p.c.Log.WarnContext(ctx, "types not made known", "stage", "accept", "types", len(types), "err", err)
	}
}

// routed makes notices of drafts, with whom they go to. Those whose recipients do
// not exist have an error.
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
			n.State = notifier.StateSent // there is nothing to do
		}
	}
	return batch, nil
}

// store brings notices into SQL. What was there before, of the same request, is
// answered as it stands now.
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
