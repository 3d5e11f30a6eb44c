package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/intake"
)

// stretch is the recipients that one entry serves now.
type stretch struct {
	seqs []int64
	last bool // nobody is behind them
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

// serve does one range, and answers what is left to do.
func (p *Pipeline) serve(ctx context.Context, n *notifier.Notice, e intake.Entry, s stretch) ([]intake.Entry, error) {
	if n.State == notifier.StateAccepted && !s.last && n.Revision == 0 {
		// One range needs no cursor, and so no state in which to keep one. What was edited
		// before everybody had it keeps its cursor where it is: see wasSent.
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
		return nil, fmt.Errorf("look at notice %d again: %w", n.ID, err)
	case !due(&now, e) || overtaken(&now, e):
		return nil, nil
	case now.Revision != n.Revision && !e.Retract:
		return []intake.Entry{again(e)}, nil
	}
	var rest []intake.Entry
	if refused != nil {
		// One inbox does not hold up the others: its range goes on by itself.
		p.c.Log.WarnContext(ctx, "range not finished, trying on", "stage", "intake", "notice_id", n.ID, "err", refused)
		rest = append(rest, intake.Entry{
			NoticeID: n.ID, Revision: n.Revision, From: e.From, To: s.seqs[len(s.seqs)-1],
			Again: e.Again, Had: e.Had || textOnly(n, e), Retract: e.Retract,
		})
	}
	if s.last {
		return rest, p.finish(ctx, &now, e)
	}
	next := again(e)
	next.From = s.seqs[len(s.seqs)-1]
	return append(rest, next), p.advance(ctx, &now, e, next.From)
}

// touch changes the inboxes of some recipients. What is delivered in a later revision
// may be there in an earlier one.
func (p *Pipeline) touch(ctx context.Context, n *notifier.Notice, e intake.Entry, s stretch) error {
	if len(s.seqs) == 0 {
		return nil
	}
	if e.Retract {
		return p.c.Inbox.Retract(ctx, n.ID, n.Key(), s.seqs)
	}
	all, err := n.Deliveries(s.seqs)
	if err != nil {
		return fmt.Errorf("encode notice %d: %w", n.ID, err)
	}
	var errs []error
	if !textOnly(n, e) {
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

// textOnly says that nobody is to get the notice by this who does not have it.
func textOnly(n *notifier.Notice, e intake.Entry) bool {
	return !e.Again && (e.Had || e.To == 0 && wasSent(n))
}

// outdate keeps the old text, which somebody may have read of SQL just before it was
// edited, out of the inboxes that are cold when EditAll comes by: once for a baton.
func (p *Pipeline) outdate(ctx context.Context, e intake.Entry, s stretch) error {
	switch {
	case e.To > 0 || e.From == 0 && s.last:
		return p.c.Inbox.Outdate(ctx, s.seqs)
	case e.From == 0:
		return p.c.Inbox.Outdate(ctx, nil)
	}
	return nil
}

// finish brings a notice whose recipients were all served to its end, unless
// somebody has moved it: then that goes on elsewhere.
func (p *Pipeline) finish(ctx context.Context, n *notifier.Notice, e intake.Entry) error {
	if !leads(n, e) {
		return nil
	}
	to := notifier.StateSent
	if e.Retract {
		to = notifier.StateRetracted
	}
	if _, err := p.c.Store.Move(ctx, n.ID, n.Revision, n.State, to); err != nil {
		return fmt.Errorf("bring notice %d from %s to %s: %w", n.ID, n.State, to, err)
	}
	p.waiting.tell(n.ID)
	return nil
}

// advance notes in SQL how far a notice has come, now and then: for who looks at
// it, and for the relay if the baton is lost.
func (p *Pipeline) advance(ctx context.Context, n *notifier.Notice, e intake.Entry, done int64) error {
	if !leads(n, e) || !p.cache.advance(n.ID) {
		return nil
	}
	if err := p.c.Store.Advance(ctx, n.ID, n.Revision, n.State, done); err != nil {
		return fmt.Errorf("move the cursor of notice %d to %d: %w", n.ID, done, err)
	}
	return nil
}

// leads says that what is behind a baton was served as the notice stands, so that the
// notice has come as far.
func leads(n *notifier.Notice, e intake.Entry) bool {
	return e.To == 0 && !finished(n.State) && (e.Retract || e.Revision == n.Revision)
}

// again is the entry as it is put in anew.
func again(e intake.Entry) intake.Entry {
	e.ID, e.Tries = "", 0
	return e
}

// expired says that there is nothing left to deliver. What is taken back is taken
// back all the same.
func expired(n *notifier.Notice, now time.Time) bool {
	return !takenBack(n.State) && !n.ExpiresAt.IsZero() && !now.Before(n.ExpiresAt)
}
