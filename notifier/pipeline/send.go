package pipeline

import (
	"context"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

// Send accepts a draft. Once it returns a notice, that notice is kept and will
// reach every recipient, whatever becomes of Redis or of this instance; up to
// Config.InlineMax recipients usually have it by then. The errors are an
// *notifier.InvalidError, which names every fault, and those of the store.
func (p *Pipeline) Send(ctx context.Context, d notifier.Draft) (notifier.Notice, error) {
	limits, now := p.limits()
	if err := d.Validate(limits); err != nil {
		return notifier.Notice{}, err
	}
	if len(d.Target.Audiences) > 0 {
		return p.announce(ctx, d, now)
	}
	to, err := p.c.Router.Recipients(ctx, d)
	if err != nil {
		return notifier.Notice{}, fmt.Errorf("route a draft: %w", err)
	}
	n := notifier.Notice{Draft: d, State: notifier.StateAccepted, CreatedAt: now, ExpiresAt: now.Add(d.ExpiresIn)}
	if err := p.c.Store.Accept(ctx, &n); err != nil {
		return notifier.Notice{}, fmt.Errorf("accept a notice: %w", err)
	}
	// From here on the answer is success, so a caller who leaves stops nothing.
	keep, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.c.InlineWait)
	defer cancel()
	if _, err := p.setRecipients(keep, &n, to); err != nil {
		p.c.Log.WarnContext(ctx, "notice left to the dispatcher", "stage", "route", "notice_id", n.ID, "err", err)
	}
	if !n.Routed || n.Recipients > p.c.InlineMax || !p.inline(ctx, &n) {
		p.Kick()
	}
	return n, nil
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
	to, err := p.c.Router.Recipients(ctx, d)
	if err != nil {
		return 0, fmt.Errorf("route a draft: %w", err)
	}
	return int64(to.GetCardinality()), nil //nolint:gosec // at most 2^32
}

// inline finishes a small notice while its caller waits, InlineWait at most,
// and says whether n is finished. A client of Redis may outlast its context, so
// the work has a goroutine of its own, which Close waits for.
func (p *Pipeline) inline(ctx context.Context, n *notifier.Notice) bool {
	if p.away.Load() || !p.inlines.TryAcquire(1) {
		return false
	}
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.c.InlineWait)
	own := *n
	done := make(chan error, 1)
	p.wg.Go(func() {
		defer cancel()
		defer p.inlines.Release(1)
		done <- p.finish(work, &own, noLease{})
	})
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = ctx.Err()
	case <-work.Done():
		err = work.Err()
	}
	if err != nil {
		p.c.Log.DebugContext(ctx, "notice left to the dispatcher", "stage", "inline", "notice_id", n.ID, "err", err)
		return false
	}
	*n = own
	return true
}
