package inbox

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

// Delete removes one entry from a user's inbox. It returns notifier.ErrNotFound if the key is
// not in the inbox.
func (b *Inbox) Delete(ctx context.Context, seq int64, key string) (notifier.Badge, error) {
	_, badge, err := b.Take(ctx, seq, key)
	return badge, err
}

// Take is Delete, but also returns the entry, for use with Restore. If the stored row is
// malformed, the entry has only its key.
func (b *Inbox) Take(ctx context.Context, seq int64, key string) (notifier.Entry, notifier.Badge, error) {
	p := b.part(seq)
	r, err := b.one(ctx, seq, func(now, _ int64) *redis.Cmd {
		return deleteEntry.Run(ctx, b.rdb, []string{
			b.k.List(seq), b.k.Hash(seq), b.k.State(seq), b.k.Gone(seq), p.expiry, p.dirty,
		}, key, now, seq, b.k.LiveUser(seq))
	})
	if err != nil {
		return notifier.Entry{}, notifier.Badge{}, fmt.Errorf("delete an entry of user %d: %w", seq, err)
	}
	e, err := parseRow(r.Text(2), r.Text(3))
	if err != nil {
		b.log.Warn("deleted a malformed row", "user_id", seq, "err", err)
		e = notifier.Entry{Key: key}
	}
	return e, badgeOf(r), nil
}

// Restore undoes a Delete: it puts the entry back in its old place and in the state in which
// it left, whatever state e has, so that a caller cannot falsify any count. It returns
// notifier.ErrNotFound if the notice did not leave this inbox, was retracted or has expired,
// and notifier.ErrConflict if its key is in the inbox again or the inbox is full. If the
// notice was edited since, the entry gets the content that SQL has.
func (b *Inbox) Restore(ctx context.Context, seq int64, e notifier.Entry) (notifier.Badge, error) {
	content, err := notifier.EncodeContent(e.Content)
	if err != nil {
		return notifier.Badge{}, fmt.Errorf("encode an entry of user %d: %w", seq, err)
	}
	p := b.part(seq)
	r, err := b.one(ctx, seq, func(now, _ int64) *redis.Cmd {
		return restoreEntry.Run(ctx, b.rdb, []string{
			b.k.List(seq), b.k.Hash(seq), b.k.State(seq), b.k.Gone(seq), p.expiry, p.dirty, b.k.Archive(seq),
		}, e.Key, e.NoticeID, e.At, millis(e.ExpiresAt), content, now, b.cap, seq, b.k.LiveUser(seq))
	})
	if err != nil {
		return notifier.Badge{}, fmt.Errorf("restore an entry of user %d: %w", seq, err)
	}
	if b.freshen(ctx, seq, e) {
		if badges, err := b.Badges(ctx, []int64{seq}); err == nil {
			return badges[0], nil
		}
	}
	return badgeOf(r), nil
}

// Retract removes a notice from each of these inboxes and keeps it out: if it has not been
// delivered yet, a later delivery has no effect. key is the notice's entry key; a later notice
// with the same key stays.
func (b *Inbox) Retract(ctx context.Context, noticeID int64, key string, seqs []int64) error {
	var boxedKey, boxedID any = key, noticeID
	_, errs := b.many(ctx, 1, jobsOf(seqs), task{retractNotice, 6, func(to []any, j job, u userArgs) []any {
		p := b.part(j.seq)
		return append(
			to,
			b.k.List(j.seq), b.k.Hash(j.seq), b.k.State(j.seq), b.k.Gone(j.seq), p.expiry, p.dirty,
			boxedKey, boxedID, u.now, u.seq, u.channel,
		)
	}})
	if err := errs[0]; err != nil {
		return fmt.Errorf("retract notice %d from %d users: %w", noticeID, len(seqs), err)
	}
	return nil
}
