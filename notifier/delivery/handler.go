package delivery

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

// handler handles the entries of the intake.
type handler struct{ w *Worker }

// Deliver puts complete small notices into inboxes, and raises the toasts of those that ask for
// one. It does not read their state from SQL: inboxes refuse a notice that has been retracted in
// the meantime, and Confirm notices an edit, so that no row keeps an old revision.
func (h handler) Deliver(ctx context.Context, entries []Entry) []error {
	ctx, end := h.trace(ctx, entries...)
	defer end()
	all := make([]notifier.Delivery, len(entries))
	for i, e := range entries {
		all[i] = *e.Delivery
		all[i].Again = e.Had
	}
	errs := h.w.c.Inbox.DeliverAll(ctx, all)
	h.w.written(entries, errs)
	return h.w.raise(ctx, all, errs, func(i int) int64 { return entries[i].Tries })
}

// Confirm marks notices as sent in SQL. A notice with another revision by now is delivered again,
// whatever its state, because inboxes have just got the old text, perhaps after the edit reached
// them.
func (h handler) Confirm(ctx context.Context, entries []Entry) error {
	done := make([]notifier.Revised, len(entries))
	for i, e := range entries {
		done[i] = notifier.Revised{ID: e.NoticeID, Revision: e.Delivery.Revision}
	}
	moved, err := h.w.c.Store.Confirm(ctx, done)
	if err != nil {
		return fmt.Errorf("confirm %d notices: %w", len(entries), err)
	}
	var anew []Entry
	for _, id := range moved {
		n, err := h.w.c.Store.Notice(ctx, id)
		if err != nil && !errors.Is(err, notifier.ErrNotFound) {
			return fmt.Errorf("read notice %d, which has changed: %w", id, err)
		}
		switch {
		case err != nil || n.State.TakenBack():
		case n.State == notifier.StateAccepted:
			anew = append(anew, baton(&n, false))
		case n.Revision > 0:
			anew = append(anew, Entry{Kind: Deliver, NoticeID: id, Revision: n.Revision, To: lastOf(entries, id)})
		}
	}
	if len(anew) > 0 {
		if err := h.w.intake.Put(ctx, anew...); err != nil {
			return fmt.Errorf("deliver %d edited notices again: %w", len(anew), err)
		}
	}
	for _, e := range entries {
		h.w.waiting.notify(e.NoticeID)
	}
	return nil
}

// Range serves up to Config.Chunk recipients after e.From and passes the baton on. It reads the
// notice's state before and after: a baton whose notice has been moved or edited stops, because
// that change has queued another.
func (h handler) Range(ctx context.Context, e Entry) ([]Entry, error) {
	if e.Kind == Resend {
		return h.w.resend(ctx, e)
	}
	ctx, end := h.trace(ctx, e)
	defer end()
	n, err := h.w.c.Store.Notice(ctx, e.NoticeID)
	switch {
	case errors.Is(err, notifier.ErrNotFound):
		return nil, nil // deleted
	case err != nil:
		return nil, fmt.Errorf("read notice %d: %w", e.NoticeID, err)
	}
	if !due(&n, e) || overtaken(&n, e) {
		return nil, nil
	}
	if e.Kind == Deliver && !e.Again && e.To == 0 && wasSent(&n) {
		e.Kind = Edit // everybody has had it, whatever the entry says
	}
	s, err := h.w.stretch(ctx, &n, e)
	if err != nil {
		return nil, err
	}
	next, err := h.w.serve(ctx, &n, e, s)
	for i := range next {
		next[i].Trace = e.Trace
	}
	return next, err
}

// trace begins the spans of work on entries that somebody follows.
func (h handler) trace(ctx context.Context, entries ...Entry) (context.Context, func()) {
	if h.w.c.Traces == nil {
		return ctx, func() {}
	}
	from := make([]string, len(entries))
	for i, e := range entries {
		from[i] = e.Trace
	}
	return h.w.c.Traces.Work(ctx, "deliver", from...)
}

// due reports whether an entry has work to do, given the state of its notice.
func due(n *notifier.Notice, e Entry) bool {
	if n.State.TakenBack() != (e.Kind == Retract) {
		return false
	}
	return !finished(n.State) || e.Again || e.To > 0
}

// overtaken reports whether the notice was edited after this baton started. The edit, or the relay,
// queues a new baton that starts at the first recipient, so this one stops. A baton that resends,
// or that has an upper end, continues in any revision.
func overtaken(n *notifier.Notice, e Entry) bool {
	return e.Revision != n.Revision && e.Kind != Retract && !e.Again && e.To == 0
}

// lastOf returns the last recipient of a notice among these entries.
func lastOf(entries []Entry, id int64) (last int64) {
	for _, e := range entries {
		if e.NoticeID == id {
			last = max(last, slices.Max(e.Delivery.Seqs))
		}
	}
	return last
}
