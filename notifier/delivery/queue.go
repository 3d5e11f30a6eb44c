package delivery

import (
	"context"
	"fmt"

	"github.com/carillonhq/carillon/internal/tracing"
	"github.com/carillonhq/carillon/notifier"
)

// Queue gives accepted notices to the intake. It never blocks; the relay adds those that do not get
// there. What is done with them belongs to the trace of ctx.
func (w *Worker) Queue(ctx context.Context, accepted []*notifier.Acceptance) {
	trace := tracing.Parent(ctx)
	for _, a := range accepted {
		e, err := w.entry(a, false)
		if err != nil {
			w.c.Log.Error("notice left to the relay", "stage", "intake", "notice_id", a.Notice.ID, "err", err)
			continue
		}
		e.Trace = trace
		w.intake.Add(e)
	}
}

// QueueBaton queues the work that a notice needs after it was edited or retracted. Like Queue, it
// never blocks.
func (w *Worker) QueueBaton(n *notifier.Notice) { w.intake.Add(baton(n, false)) }

// entry returns the intake entry of a notice. It holds the complete notice if it has few recipients
// and all of them see the same content. Otherwise it is a baton that starts at the notice's
// progress. An edited notice is always a baton, because there may be rows to change, and so is one
// that was scheduled, because entries have no place for its Order.
func (w *Worker) entry(a *notifier.Acceptance, again bool) (Entry, error) {
	n := a.Notice
	e := baton(n, again)
	if !again {
		e.From = n.Done
	}
	if e.Kind != Deliver || n.Revision > 0 || n.Order > 0 || a.To == nil || a.To.IsEmpty() || w.large(a.To) {
		return e, nil
	}
	all, err := n.Deliveries(after(a.To, 0, 0, w.c.Chunk))
	if err != nil {
		return e, fmt.Errorf("encode notice %d: %w", n.ID, err)
	}
	if len(all) > 1 {
		return e, nil
	}
	return Entry{Kind: Whole, NoticeID: n.ID, Revision: n.Revision, Delivery: &all[0], Again: again, Had: e.Had}, nil
}

// entries returns the intake entry of each of these notices, starting at its progress, or at the
// beginning if again is set.
func (w *Worker) entries(ctx context.Context, ids []int64, again bool) ([]Entry, error) {
	known, err := w.c.Store.Contents(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read %d notices: %w", len(ids), err)
	}
	entries := make([]Entry, 0, len(ids))
	var small []int64
	for _, id := range ids {
		n, ok := known[id]
		switch {
		case !ok, n.Announces(): // deleted, or not a notice to inboxes
		case n.Routed && n.Recipients > 0 && n.Recipients <= int64(w.c.Chunk) && !n.State.TakenBack():
			small = append(small, id)
		default:
			e, err := w.entry(&notifier.Acceptance{Notice: &n}, again)
			if err != nil {
				return nil, err
			}
			entries = append(entries, e)
		}
	}
	whole, err := w.c.Store.Accepted(ctx, small)
	if err != nil {
		return nil, fmt.Errorf("read %d notices with their recipients: %w", len(small), err)
	}
	for i := range whole {
		e, err := w.entry(&whole[i], again)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}
