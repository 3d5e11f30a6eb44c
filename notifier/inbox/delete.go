package inbox

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

// Delete takes one entry out of a user's inbox. It answers notifier.ErrNotFound
// when the key is not in it.
func (b *Inbox) Delete(ctx context.Context, seq int64, key string) (notifier.Badge, error) {
	_, badge, err := b.Take(ctx, seq, key)
	return badge, err
}

// Take is Delete, and answers the entry too, as Restore wants it back. When its
// stored row is malformed the entry holds its key only.
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
	e, err := parseRow(r.text(2), r.text(3))
	if err != nil {
		b.log.Warn("deleted a malformed row", "user_id", seq, "err", err)
		e = notifier.Entry{Key: key}
	}
	return e, r.badge(), nil
}

// Restore undoes a Delete: the entry is back at its old place, in its old state.
// It answers notifier.ErrNotFound when the notice did not leave this inbox, is
// retracted or is expired, and notifier.ErrConflict when its key is back already or the inbox
// has no room. Where its notice was edited since, it says what SQL says.
func (b *Inbox) Restore(ctx context.Context, seq int64, e notifier.Entry) (notifier.Badge, error) {
	content, err := notifier.EncodeContent(e.Content)
	if err != nil {
		return notifier.Badge{}, fmt.Errorf("encode an entry of user %d: %w", seq, err)
	}
	p, read := b.part(seq), 0
	if e.Read {
		read = 1
	}
	r, err := b.one(ctx, seq, func(now, _ int64) *redis.Cmd {
		return restoreEntry.Run(ctx, b.rdb, []string{
			b.k.List(seq), b.k.Hash(seq), b.k.State(seq), b.k.Gone(seq), p.expiry, p.dirty,
		}, e.Key, e.NoticeID, e.At, millis(e.ExpiresAt), read, content, now, b.cap, seq, b.k.LiveUser(seq))
	})
	if err != nil {
		return notifier.Badge{}, fmt.Errorf("restore an entry of user %d: %w", seq, err)
	}
	if b.freshen(ctx, seq, e) {
		if badges, err := b.Badges(ctx, []int64{seq}); err == nil {
			return badges[0], nil
		}
	}
	return r.badge(), nil
}
