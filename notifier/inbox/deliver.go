package inbox

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// DeliverAll puts each of these notices on top of the inboxes that it goes to,
// unread; of one user in their order. An inbox is left as it is when the notice is
// or was in it, when a later notice has taken its key, or when it is expired. The
// same key again moves its row to the top; the oldest rows above the cap leave. What
// is delivered Again is left out, too, where the inbox has forgotten what it had so
// long ago: at or below its floor.
//
// It answers an error for each delivery, in order: nil when it is in all of its
// inboxes. One inbox that refuses fails its own deliveries only. After an error
// some inboxes may have the notice already: deliver again to all.
func (b *Inbox) DeliverAll(ctx context.Context, all []notifier.Delivery) []error {
	_, errs := b.deliver(ctx, all)
	for i, err := range errs {
		if err != nil {
			errs[i] = fmt.Errorf("deliver notice %d to %d users: %w", all[i].NoticeID, len(all[i].Seqs), err)
		}
	}
	return errs
}

// Deliver is DeliverAll of one notice, and answers how many inboxes it changed.
func (b *Inbox) Deliver(ctx context.Context, n *notifier.Notice, seqs []int64) (changed int, err error) {
	d, err := n.Delivery(seqs)
	if err != nil {
		return 0, fmt.Errorf("encode notice %d: %w", n.ID, err)
	}
	changed, errs := b.deliver(ctx, []notifier.Delivery{d})
	if errs[0] != nil {
		return changed, fmt.Errorf("deliver notice %d to %d users: %w", n.ID, len(seqs), errs[0])
	}
	return changed, nil
}

func (b *Inbox) deliver(ctx context.Context, all []notifier.Delivery) (changed int, errs []error) {
	// Boxed here, once for all recipients.
	type boxed struct{ key, id, expires, json, counted, again any }
	notices, n := make([]boxed, len(all)), 0
	for i := range all {
		d := &all[i]
		notices[i] = boxed{d.Key, strconv.FormatInt(d.NoticeID, 10), d.Expires, d.Content, flag(d.Counted), flag(d.Again)}
		n += len(d.Seqs)
	}
	jobs := make([]job, 0, n)
	for i := range all {
		for _, seq := range all[i].Seqs {
			jobs = append(jobs, job{seq, i})
		}
	}
	var limit any = b.cap
	return b.many(ctx, len(all), jobs, task{deliverNotice, 7, func(to []any, j job, u userArgs) []any {
		p, n := b.part(j.seq), &notices[j.of]
		return append(
			to,
			b.k.List(j.seq), b.k.Hash(j.seq), b.k.State(j.seq), b.k.Gone(j.seq), p.expiry, p.dirty, p.counts,
			n.key, n.id, n.expires, n.json, u.now, limit, u.seq, u.channel, n.counted, n.again,
		)
	}})
}

// flag is a yes or no as scripts know it.
func flag(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// millis is a time as scripts know it; 0 stands for never.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
