package inbox

import (
	"context"
	"fmt"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// EditAll has the rows of each of these notices show what the notice says in its
// revision, and whoever looks at them hears of it. A row that is not there, or of this
// revision or a later one, stays as it is; no row comes or moves, and none becomes
// unread.
//
// A cold inbox is left alone: it comes back with what SQL has. So the revision must
// be in SQL, and Outdate have been called after that.
//
// It answers an error for each notice, in order: nil when no inbox has it in an
// older revision. Whatever is repeated changes nothing.
func (b *Inbox) EditAll(ctx context.Context, all []notifier.Delivery) []error {
	_, errs := b.edit(ctx, all)
	for i, err := range errs {
		if err != nil {
			errs[i] = fmt.Errorf("edit notice %d of %d users: %w", all[i].NoticeID, len(all[i].Seqs), err)
		}
	}
	return errs
}

func (b *Inbox) edit(ctx context.Context, all []notifier.Delivery) (changed int, errs []error) {
	type boxed struct{ key, id, rev, json any }
	notices, n := make([]boxed, len(all)), 0
	for i := range all {
		d := &all[i]
		notices[i] = boxed{d.Key, strconv.FormatInt(d.NoticeID, 10), d.Revision, d.Content}
		n += len(d.Seqs)
	}
	jobs := make([]job, 0, n)
	for i := range all {
		for _, seq := range all[i].Seqs {
			jobs = append(jobs, job{seq, i})
		}
	}
	return b.many(ctx, len(all), jobs, task{editNotice, 3, func(to []any, j job, u userArgs) []any {
		n := &notices[j.of]
		return append(
			to,
			b.k.Hash(j.seq), b.k.State(j.seq), b.part(j.seq).dirty,
			n.key, n.id, n.rev, n.json, u.now, u.seq, u.channel,
		)
	}})
}

// freshen has a row that came back show what its notice says by now: it may have been
// edited while nobody could see that the row would be there. It says whether it was.
func (b *Inbox) freshen(ctx context.Context, seq int64, e notifier.Entry) bool {
	if b.sql == nil {
		return false
	}
	known, err := b.sql.Contents(ctx, []int64{e.NoticeID})
	n, there := known[e.NoticeID]
	if err == nil && (!there || n.Revision <= e.Revision) {
		return false
	}
	changed := 0
	if err == nil {
		var all []notifier.Delivery
		if all, err = n.Deliveries([]int64{seq}); err == nil {
			var errs []error
			changed, errs = b.edit(ctx, all)
			err = errs[0]
		}
	}
	if err != nil {
		b.log.WarnContext(ctx, "a row that came back may show an old text", "user_id", seq, "notice_id", e.NoticeID, "err", err)
	}
	return changed > 0
}

// Outdate keeps what was read of SQL before from coming into cold inboxes: whoever
// was about to restore one of these users reads SQL again. With nobody named that
// is so for all users.
func (b *Inbox) Outdate(ctx context.Context, seqs []int64) error {
	parts := map[int]bool{}
	for _, seq := range seqs {
		parts[keys.Partition(seq)] = true
	}
	for p := 0; len(seqs) == 0 && p < keys.Partitions; p++ {
		parts[p] = true
	}
	if err := b.raise(ctx, parts, b.millis()); err != nil {
		return fmt.Errorf("outdate what was read of %d partitions: %w", len(parts), err)
	}
	return nil
}
