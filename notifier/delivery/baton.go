package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// baton returns a baton for the work that a notice needs, or that it needs again because Redis lost
// data.
func baton(n *notifier.Notice, again bool) Entry {
	e := Entry{Kind: Deliver, NoticeID: n.ID, Revision: n.Revision, Again: again}
	switch {
	case n.State.TakenBack():
		e.Kind = Retract
	case wasSent(n) && again:
		e.Had = true
	case wasSent(n):
		e.Kind = Edit
	}
	return e
}

// wasSent reports whether every recipient has already had the notice, so that only a new text is on
// its way. That must not bring back a row that a recipient has deleted, however long ago.
func wasSent(n *notifier.Notice) bool {
	return n.State == notifier.StateSent || n.State == notifier.StateSending && n.Revision > 0
}

// stretch holds the recipients that one entry serves.
type stretch struct {
	seqs []int64
	last bool // no recipient follows
}

func (w *Worker) stretch(ctx context.Context, n *notifier.Notice, e Entry) (stretch, error) {
	to, err := w.recipients(ctx, n)
	if err != nil {
		return stretch{}, err
	}
	if expired(n, w.c.Now()) {
		return stretch{last: true}, nil
	}
	seqs := after(to, e.From, e.To, w.c.Chunk)
	end := len(seqs) < w.c.Chunk || e.To > 0 && seqs[len(seqs)-1] >= e.To || seqs[len(seqs)-1] >= int64(to.Maximum())
	return stretch{seqs, end}, nil
}

// serve serves one range and returns the entries for the remaining work.
func (w *Worker) serve(ctx context.Context, n *notifier.Notice, e Entry, s stretch) ([]Entry, error) {
	if n.State == notifier.StateAccepted && !s.last && n.Revision == 0 {
		// A single range needs no cursor, and so no state that keeps one. A notice that was edited
		// before everybody had it stays accepted: see wasSent.
		if _, err := w.c.Store.Move(ctx, n.ID, n.Revision, notifier.StateAccepted, notifier.StateSending); err != nil {
			return nil, fmt.Errorf("begin to send notice %d: %w", n.ID, err)
		}
	}
	refused := w.touch(ctx, n, e, s)
	if refused != nil && (e.To > 0 || errors.Is(refused, notifier.ErrUnavailable) || ctx.Err() != nil) {
		return nil, refused
	}
	now, err := w.c.Store.Notice(ctx, n.ID)
	switch {
	case errors.Is(err, notifier.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read notice %d again: %w", n.ID, err)
	case !due(&now, e) || overtaken(&now, e):
		return nil, nil
	case now.Revision != n.Revision && e.Kind != Retract:
		return []Entry{e.Anew()}, nil
	}
	var rest []Entry
	if refused != nil {
		// One inbox must not hold up the others: its range becomes an entry of its own.
		w.c.Log.WarnContext(ctx, "range not finished; retrying", "stage", "intake", "notice_id", n.ID, "err", refused)
		rest = append(rest, Entry{
			Kind: e.Kind, NoticeID: n.ID, Revision: n.Revision, From: e.From, To: s.seqs[len(s.seqs)-1], Again: e.Again, Had: e.Had,
		})
	}
	if s.last {
		return rest, w.finish(ctx, &now, e)
	}
	next := e.Anew()
	next.From = s.seqs[len(s.seqs)-1]
	return append(rest, next), w.advance(ctx, &now, e, next.From)
}

// touch changes the inboxes of some recipients. When it delivers a later revision, an inbox may
// already have an earlier one.
func (w *Worker) touch(ctx context.Context, n *notifier.Notice, e Entry, s stretch) error {
	if len(s.seqs) == 0 {
		return nil
	}
	if e.Kind == Retract {
		return w.c.Inbox.Retract(ctx, n.ID, n.Key(), s.seqs)
	}
	all, err := n.Deliveries(s.seqs)
	if err != nil {
		return fmt.Errorf("encode notice %d: %w", n.ID, err)
	}
	var errs []error
	if e.Kind != Edit {
		for i := range all {
			all[i].Again = e.Had
		}
		errs = w.raise(ctx, all, w.c.Inbox.DeliverAll(ctx, all), func(int) int64 { return e.Tries })
	}
	if n.Revision > 0 {
		if err := w.outdate(ctx, e, s); err != nil {
			return err
		}
		errs = append(errs, w.c.Inbox.EditAll(ctx, all)...)
	}
	return errors.Join(errs...)
}

// outdate keeps cold inboxes from being restored with the old text, which may have been read from
// SQL just before the edit. It does so once per baton.
func (w *Worker) outdate(ctx context.Context, e Entry, s stretch) error {
	switch {
	case e.To > 0 || e.From == 0 && s.last:
		return w.c.Inbox.Outdate(ctx, s.seqs)
	case e.From == 0:
		return w.c.Inbox.Outdate(ctx, nil)
	}
	return nil
}

// finish moves a notice whose recipients were all served to its final state, unless its state has
// changed in the meantime: then another entry continues the work.
func (w *Worker) finish(ctx context.Context, n *notifier.Notice, e Entry) error {
	if !leads(n, e) {
		return nil
	}
	to := notifier.StateSent
	if e.Kind == Retract {
		to = notifier.StateRetracted
	}
	if _, err := w.c.Store.Move(ctx, n.ID, n.Revision, n.State, to); err != nil {
		return fmt.Errorf("move notice %d from %s to %s: %w", n.ID, n.State, to, err)
	}
	w.waiting.notify(n.ID)
	return nil
}

// advance stores a notice's progress in SQL now and then: for pages, and for the relay in case the
// baton is lost.
func (w *Worker) advance(ctx context.Context, n *notifier.Notice, e Entry, done int64) error {
	if !leads(n, e) || !w.cache.advance(n.ID) {
		return nil
	}
	if err := w.c.Store.Advance(ctx, n.ID, n.Revision, n.State, done); err != nil {
		return fmt.Errorf("move the cursor of notice %d to %d: %w", n.ID, done, err)
	}
	return nil
}

// leads reports whether everything up to the baton was served in the notice's current revision, so
// that the baton's position is the notice's progress.
func leads(n *notifier.Notice, e Entry) bool {
	return e.To == 0 && !finished(n.State) && (e.Kind == Retract || e.Revision == n.Revision)
}

// expired reports whether there is nothing left to deliver. Expired notices are still retracted.
func expired(n *notifier.Notice, now time.Time) bool {
	return !n.State.TakenBack() && !n.ExpiresAt.IsZero() && !now.Before(n.ExpiresAt)
}
