package pipeline

import (
	"context"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

// Send accepts a draft. Once it returns a notice, that notice is kept and will reach every
// recipient, even if Redis or this instance fails; with up to Config.WaitMax recipients it waits
// for the delivery, for Config.Wait at most. Its errors are a *notifier.InvalidError that names
// every fault, a *notifier.TooManyError while more is sent than can be delivered, and those of the
// store.
func (p *Pipeline) Send(ctx context.Context, d notifier.Draft) (notifier.Notice, error) {
	return p.SendOnce(ctx, d, nil)
}

// SendOnce is Send for a request that may be repeated: all repetitions return the notice of the
// first. It returns notifier.ErrOtherRequest if the key was used for another draft.
func (p *Pipeline) SendOnce(ctx context.Context, d notifier.Draft, once *notifier.Once) (notifier.Notice, error) {
	results, accepted := p.accept(ctx, []notifier.Request{{Draft: d, Once: once}})
	if r := results[0]; r.Err != nil || len(accepted) == 0 {
		return r.Notice, r.Err
	}
	n := &results[0].Notice
	if n.Recipients == 0 || n.Recipients > p.c.WaitMax {
		p.enqueue(accepted)
		return *n, nil
	}
	done, leave := p.waiting.join(n.ID)
	defer leave()
	p.enqueue(accepted)
	p.await(ctx, n, done)
	return *n, nil
}

// SendAll is Send for many drafts, with one commit and one lookup of all their names. It returns
// one result per request, in order, and never waits for delivery.
func (p *Pipeline) SendAll(ctx context.Context, all []notifier.Request) []notifier.Result {
	results, accepted := p.accept(ctx, all)
	p.enqueue(accepted)
	return results
}

// Count returns how many users would get the draft, or would see it now if it is for audiences. Its
// errors are those of Send, except *notifier.TooManyError.
func (p *Pipeline) Count(ctx context.Context, d notifier.Draft) (int64, error) {
	limits, _ := p.limits()
	if err := d.Validate(limits); err != nil {
		return 0, err
	}
	if len(d.Target.Audiences) > 0 {
		sizes, err := p.c.Store.AudienceSize(ctx, d.Target.Audiences, 0)
		if err != nil {
			return 0, fmt.Errorf("count audiences: %w", err)
		}
		total := int64(0)
		for _, n := range sizes {
			total += n
		}
		return total, nil
	}
	answers, err := p.c.Router.RecipientsAll(ctx, []notifier.Draft{d})
	if err == nil {
		err = answers[0].Err
	}
	if err != nil {
		return 0, fmt.Errorf("route a draft: %w", err)
	}
	return int64(answers[0].To.GetCardinality()), nil //nolint:gosec // at most 2^32
}
