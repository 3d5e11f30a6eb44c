package inbox

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// DeliverAll adds each of these notices, unread, to the top of the inboxes of its recipients; notices to the same
// user are added in order. An inbox stays unchanged if the notice is in it or was before, if a later notice has the
// same key or if the notice has expired. An earlier notice with the same key is replaced, and its row moves to the
// top; the oldest rows beyond the cap are removed. A delivery with Again also skips each inbox whose floor is at or
// above the notice: that inbox may have had the notice without a record of it.
//
// It returns an error for each delivery, in order: nil means that the notice is in all of its
// inboxes. A failed inbox affects only its own deliveries. After an error some inboxes may
// already have the notice; the caller should deliver to all of them again.
func (b *Inbox) DeliverAll(ctx context.Context, all []notifier.Delivery) []error {
	_, errs := b.deliver(ctx, all)
	for i, err := range errs {
		if err != nil {
			errs[i] = fmt.Errorf("deliver notice %d to %d users: %w", all[i].NoticeID, len(all[i].Seqs), err)
		}
	}
	return errs
}

// deliver is DeliverAll, and returns the number of changed inboxes.
func (b *Inbox) deliver(ctx context.Context, all []notifier.Delivery) (changed int, errs []error) {
	// The values are converted to any once for all recipients.
	type boxed struct{ key, id, expires, json, counted, again, order any }
	notices, n := make([]boxed, len(all)), 0
	for i := range all {
		d := &all[i]
		notices[i] = boxed{d.Key, strconv.FormatInt(d.NoticeID, 10), d.Expires, d.Content, flag(d.Counted), flag(d.Again), max(d.Order, d.NoticeID)}
		n += len(d.Seqs)
	}
	jobs := make([]job, 0, n)
	for i := range all {
		for _, seq := range all[i].Seqs {
			jobs = append(jobs, job{seq, i})
		}
	}
	var limit any = b.cap
	return b.many(ctx, len(all), jobs, task{deliverNotice, 8, func(to []any, j job, u userArgs) []any {
		p, n := b.part(j.seq), &notices[j.of]
		return append(
			to,
			b.k.List(j.seq), b.k.Hash(j.seq), b.k.State(j.seq), b.k.Gone(j.seq), p.expiry, p.dirty, p.counts, b.k.Archive(j.seq),
			n.key, n.id, n.expires, n.json, u.now, limit, u.seq, u.channel, n.counted, n.again, n.order,
		)
	}})
}

// flag returns yes as the number that scripts use.
func flag(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// millis returns t in the form that scripts use: ms, where 0 means never.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
