package inbox

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// EditAll replaces the content of the rows of each of these notices with the given revision, and
// publishes the change to their users. A row that is missing, or already has this or a later
// revision, stays unchanged. No row is added or moved, and none becomes unread.
//
// Cold inboxes are skipped, because they are restored with the content from SQL. So SQL must
// already have the revision, and Outdate must have been called since.
//
// It returns an error for each notice, in order: nil means that no inbox has it in an older
// revision. Repeating the call has no effect.
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
	type boxed struct{ key, id, rev, text any }
	notices, n := make([]boxed, len(all)), 0
	for i := range all {
		d := &all[i]
		notices[i] = boxed{d.Key, strconv.FormatInt(d.NoticeID, 10), d.Revision, withGroup(d.Content, d.Group)}
		n += len(d.Seqs)
	}
	jobs := make([]job, 0, n)
	for i := range all {
		for _, seq := range all[i].Seqs {
			jobs = append(jobs, job{seq, i})
		}
	}
	return b.many(ctx, len(all), jobs, task{script: editNotice, nkeys: 3, key: func(of int) string { return all[of].Key }, args: func(to []any, j job, u userArgs) []any {
		n := &notices[j.of]
		return append(
			to,
			b.k.Hash(j.seq), b.k.State(j.seq), b.part(j.seq).dirty,
			n.key, n.id, n.rev, n.text, u.now, u.seq, u.channel,
		)
	}})
}

// ReadAll marks the rows of those of these notices that have Read as read. Other notices, and rows that are read or belong to
// another notice, stay as they are. It returns an error for each notice, in order. Repeating the call has no effect.
func (b *Inbox) ReadAll(ctx context.Context, all []notifier.Delivery) []error {
	_, errs := b.readAll(ctx, all)
	for i, err := range errs {
		if err != nil {
			errs[i] = fmt.Errorf("mark notice %d of %d users as read: %w", all[i].NoticeID, len(all[i].Seqs), err)
		}
	}
	return errs
}

func (b *Inbox) readAll(ctx context.Context, all []notifier.Delivery) (changed int, errs []error) {
	var jobs []job
	for i := range all {
		for _, seq := range all[i].Seqs {
			if all[i].Read {
				jobs = append(jobs, job{seq, i})
			}
		}
	}
	return b.many(ctx, len(all), jobs, task{script: markRows, nkeys: 5, args: func(to []any, j job, u userArgs) []any {
		d, p := &all[j.of], b.part(j.seq)
		return append(
			to,
			b.k.List(j.seq), b.k.Hash(j.seq), b.k.State(j.seq), p.dirty, p.counts,
			1, u.now, u.seq, u.channel, 0, d.NoticeID, d.Key,
		)
	}})
}

// freshen updates an entry that was just restored: its notice may have been edited, its question may have ended, or
// its task may have been taken while the entry was not in the inbox. It reports whether the entry changed.
func (b *Inbox) freshen(ctx context.Context, seq int64, e notifier.Entry) bool {
	if b.sql == nil {
		return false
	}
	known, err := b.sql.Contents(ctx, []int64{e.NoticeID})
	n, there := known[e.NoticeID]
	if err == nil && (!there || n.Revision <= e.Revision && !n.Extras.Settled()) {
		return false
	}
	changed := 0
	if err == nil {
		var all []notifier.Delivery
		if all, err = n.Deliveries([]int64{seq}); err == nil {
			edited, edits := b.edit(ctx, all)
			read, reads := b.readAll(ctx, all)
			changed, err = edited+read, errors.Join(append(edits, reads...)...)
		}
	}
	if err != nil {
		b.log.WarnContext(ctx, "restored entry not updated; it may show outdated text", "user_id", seq, "notice_id", e.NoticeID, "err", err)
	}
	return changed > 0
}

// Outdate prevents snapshots and notices that were read from SQL earlier from being restored to
// cold inboxes of these users; restores in progress read SQL again. Without seqs it applies to
// all users.
func (b *Inbox) Outdate(ctx context.Context, seqs []int64) error {
	parts := map[int]bool{}
	for _, seq := range seqs {
		parts[keys.Partition(seq)] = true
	}
	for p := 0; len(seqs) == 0 && p < keys.Partitions; p++ {
		parts[p] = true
	}
	if err := b.raise(ctx, parts, b.millis()); err != nil {
		return fmt.Errorf("raise the fences of %d partitions: %w", len(parts), err)
	}
	return nil
}
