package inbox

import (
	"context"

	"github.com/carillonhq/carillon/notifier"
)

// Waiting returns the number of callers that wait for the next round trip.
func (b *Inbox) Waiting() int { return b.shared.Waiting() }

// Deliver is DeliverAll for one notice. It returns the number of inboxes that it changed.
func (b *Inbox) Deliver(ctx context.Context, n *notifier.Notice, seqs []int64) (changed int, err error) {
	d, err := n.Delivery(seqs)
	if err != nil {
		return 0, err
	}
	arrived, errs := b.deliver(ctx, []notifier.Delivery{d})
	return len(arrived), errs[0]
}

// PutBack is the second half of Restore, for entries that SQL does not have.
func (b *Inbox) PutBack(ctx context.Context, seq int64, entries ...notifier.Entry) (notifier.Badge, error) {
	return b.putBack(ctx, seq, entries...)
}

// ReadWhole is Read from Redis alone.
func (b *Inbox) ReadWhole(ctx context.Context, seqs []int64) (map[int64]notifier.Snapshot, error) {
	found, _, err := b.readSince(ctx, seqs, nil)
	return found, err
}
