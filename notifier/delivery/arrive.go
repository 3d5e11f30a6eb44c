package delivery

import (
	"context"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

// add delivers to inboxes, and reports the deliveries.
func (w *Worker) add(ctx context.Context, all []notifier.Delivery) ([]notifier.Arrival, []error) {
	arrived, errs := w.c.Inbox.DeliverAll(ctx, all)
	if w.c.Delivered != nil {
		for i := range all {
			w.c.Delivered(&all[i])
		}
	}
	return arrived, errs
}

// arrived makes the mail and push targets of recipients due. Writing their inboxes to SQL does the same later, so a
// failure only delays messages. The inboxes of users with targets are written soon: if Redis is lost after the message
// was sent, the row must come back with the time up to which messages were sent, not as a new one.
func (w *Worker) arrived(ctx context.Context, all []notifier.Arrival) {
	if len(all) == 0 {
		return
	}
	seqs, err := w.c.Store.Arrived(ctx, all)
	if err == nil && len(seqs) > 0 {
		err = w.c.Inbox.Hasten(ctx, seqs)
	}
	if err != nil {
		w.c.Log.DebugContext(ctx, "could not make targets due; this is repeated when inboxes are written", "stage", "intake", "err", err)
	}
}

// written reports how long the delivery of new notices took, measured by the clock of the instance that
// accepted them. It excludes redelivered notices.
func (w *Worker) written(batch []*job, errs []error) {
	if w.c.Written == nil {
		return
	}
	now := w.c.Now()
	for i, j := range batch {
		if errs[i] == nil && !j.Again && j.Tries == 0 && j.Owner == 0 {
			w.c.Written(now.Sub(j.began))
		}
	}
}

// read marks the rows of questions that have ended as read: those that were just added, too. It returns nil if there are none.
func (w *Worker) read(ctx context.Context, all []notifier.Delivery) []error {
	if !slices.ContainsFunc(all, func(d notifier.Delivery) bool { return d.Read }) {
		return nil
	}
	return w.c.Inbox.ReadAll(ctx, all)
}
