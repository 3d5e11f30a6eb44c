package pipeline

import (
	"context"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

// Send accepts a draft. Once it returns a notice, that notice is kept and will
// reach every recipient, whatever becomes of Redis or of this instance; with up to
// Config.WaitMax recipients it waits until it has, for Config.Wait at most. The
// errors are an *notifier.InvalidError, which names every fault, a
// *notifier.TooManyError when more is sent than is delivered, and those of the
// store.
func (p *Pipeline) Send(ctx context.Context, d notifier.Draft) (notifier.Notice, error) {
	return p.SendOnce(ctx, d, nil)
}

// SendOnce is Send of a request that may be repeated: the notice of the first
// answers all of them. It is notifier.ErrOtherRequest when the key was used for
// another draft.
func (p *Pipeline) SendOnce(ctx context.Context, d notifier.Draft, once *notifier.Once) (notifier.Notice, error) {
	results, accepted := p.accept(ctx, []notifier.Request{{Draft: d, Once: once}})
	if r := results[0]; r.Err != nil || len(accepted) == 0 {
		return r.Notice, r.Err
	}
	n := &results[0].Notice
	if n.Recipients == 0 || n.Recipients > p.c.WaitMax {
		p.hand(accepted)
		return *n, nil
	}
	done, leave := p.waiting.join(n.ID)
	defer leave()
	p.hand(accepted)
	p.await(ctx, n, done)
	return *n, nil
}

// SendAll is Send of many drafts with one commit and one question for all the
// names in them. It answers for each, in order, and never waits for their
// delivery.
func (p *Pipeline) SendAll(ctx context.Context, all []notifier.Request) []notifier.Result {
	results, accepted := p.accept(ctx, all)
	p.hand(accepted)
	return results
}

// Count returns how many users would get the draft, or would see it now if it is
// for audiences. It fails as Send does, but for what Send finds too many.
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
