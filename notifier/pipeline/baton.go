package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/intake"
)

// stretch holds the recipients that one entry serves.
type stretch struct {
	seqs []int64
	last bool // no recipient follows
}

func (p *Pipeline) stretch(ctx context.Context, n *notifier.Notice, e intake.Entry) (stretch, error) {
	to, err := p.recipients(ctx, n)
	if err != nil {
		return stretch{}, err
	}
	if expired(n, p.c.Now()) {
		return stretch{last: true}, nil
	}
	seqs := after(to, e.From, e.To, p.c.Chunk)
	end := len(seqs) < p.c.Chunk || e.To > 0 && seqs[len(seqs)-1] >= e.To || seqs[len(seqs)-1] >= int64(to.Maximum())
	return stretch{seqs, end}, nil
}

// serve serves one range and returns the entries for the remaining work.
func (p *Pipeline) serve(ctx context.Context, n *notifier.Notice, e intake.Entry, s stretch) ([]intake.Entry, error) {
	if n.State == notifier.StateAccepted && !s.last && n.Revision == 0 {
		// A single range needs no cursor, and so no state that keeps one. A notice that was edited
		// before everybody had it stays accepted: see wasSent.
		if _, err := p.c.Store.Move(ctx, n.ID, n.Revision, notifier.StateAccepted, notifier.StateSending); err != nil {
			return nil, fmt.Errorf("begin to send notice %d: %w", n.ID, err)
		}
	}
	refused := p.touch(ctx, n, e, s)
	if refused != nil && (e.To > 0 || errors.Is(refused, notifier.ErrUnavailable) || ctx.Err() != nil) {
		return nil, refused
	}
	now, err := p.c.Store.Notice(ctx, n.ID)
	switch {
	case errors.Is(err, notifier.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read notice %d again: %w", n.ID, err)
	case !due(&now, e) || overtaken(&now, e):
		return nil, nil
	case now.Revision != n.Revision && e.Kind != intake.Retract:
		return []intake.Entry{e.Anew()}, nil
	}
	var rest []intake.Entry
	if refused != nil {
		// One inbox must not hold up the others: its range becomes an entry of its own.
		p.c.Log.WarnContext(ctx, "range not finished; retrying", "stage", "intake", "notice_id", n.ID, "err", refused)
		rest = append(rest, intake.Entry{
			Kind: e.Kind, NoticeID: n.ID, Revision: n.Revision, From: e.From, To: s.seqs[len(s.seqs)-1], Again: e.Again, Had: e.Had,
		})
	}
	if s.last {
		return rest, p.finish(ctx, &now, e)
	}
	next := e.Anew()
	next.From = s.seqs[len(s.seqs)-1]
	return append(rest, next), p.advance(ctx, &now, e, next.From)
}

// touch changes the inboxes of some recipients. When it delivers a later revision, an inbox may
// already have an earlier one.
func (p *Pipeline) touch(ctx context.Context, n *notifier.Notice, e intake.Entry, s stretch) error {
	if len(s.seqs) == 0 {
		return nil
	}
	if e.Kind == intake.Retract {
		return p.c.Inbox.Retract(ctx, n.ID, n.Key(), s.seqs)
	}
	all, err := n.Deliveries(s.seqs)
	if err != nil {
		return fmt.Errorf("encode notice %d: %w", n.ID, err)
	}
	var errs []error
	if e.Kind != intake.Edit {
		for i := range all {
			all[i].Again = e.Had
		}
		errs = p.raise(ctx, all, p.c.Inbox.DeliverAll(ctx, all), func(int) int64 { return e.Tries })
	}
	if n.Revision > 0 {
		if err := p.outdate(ctx, e, s); err != nil {
			return err
		}
		errs = append(errs, p.c.Inbox.EditAll(ctx, all)...)
	}
	return errors.Join(errs...)
}

// outdate keeps cold inboxes from being restored with the old text, which may have been read from
// SQL just before the edit. It does so once per baton.
func (p *Pipeline) outdate(ctx context.Context, e intake.Entry, s stretch) error {
	switch {
	case e.To > 0 || e.From == 0 && s.last:
		return p.c.Inbox.Outdate(ctx, s.seqs)
	case e.From == 0:
		return p.c.Inbox.Outdate(ctx, nil)
	}
	return nil
}

// finish moves a notice whose recipients were all served to its final state, unless its state has
// changed in the meantime: then another entry continues the work.
func (p *Pipeline) finish(ctx context.Context, n *notifier.Notice, e intake.Entry) error {
	if !leads(n, e) {
		return nil
	}
	to := notifier.StateSent
	if e.Kind == intake.Retract {
		to = notifier.StateRetracted
	}
	if _, err := p.c.Store.Move(ctx, n.ID, n.Revision, n.State, to); err != nil {
		return fmt.Errorf("move notice %d from %s to %s: %w", n.ID, n.State, to, err)
	}
	p.waiting.notify(n.ID)
	return nil
}

// advance stores a notice's progress in SQL now and then: for pages, and for the relay in case the
// baton is lost.
func (p *Pipeline) advance(ctx context.Context, n *notifier.Notice, e intake.Entry, done int64) error {
	if !leads(n, e) || !p.cache.advance(n.ID) {
		return nil
	}
	if err := p.c.Store.Advance(ctx, n.ID, n.Revision, n.State, done); err != nil {
		return fmt.Errorf("move the cursor of notice %d to %d: %w", n.ID, done, err)
	}
	return nil
}

// leads reports whether everything up to the baton was served in the notice's current revision, so
// that the baton's position is the notice's progress.
func leads(n *notifier.Notice, e intake.Entry) bool {
	return e.To == 0 && !finished(n.State) && (e.Kind == intake.Retract || e.Revision == n.Revision)
}

// expired reports whether there is nothing left to deliver. Expired notices are still retracted.
func expired(n *notifier.Notice, now time.Time) bool {
	return !takenBack(n.State) && !n.ExpiresAt.IsZero() && !now.Before(n.ExpiresAt)
}
