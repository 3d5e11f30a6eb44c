package inbox

import (
	"context"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

// MarkRead turns one entry to read. It answers notifier.ErrNotFound when the key
// is not in this inbox; an entry that is read already stays so.
func (b *Inbox) MarkRead(ctx context.Context, seq int64, key string) (notifier.Badge, error) {
	badge, err := b.mark(ctx, seq, key, 0, 1)
	if err != nil {
		return badge, fmt.Errorf("mark an entry of user %d as read: %w", seq, err)
	}
	return badge, nil
}

// MarkUnread turns one entry to unread, at its place. Else it is as MarkRead.
func (b *Inbox) MarkUnread(ctx context.Context, seq int64, key string) (notifier.Badge, error) {
	badge, err := b.mark(ctx, seq, key, 1, 0)
	if err != nil {
		return badge, fmt.Errorf("mark an entry of user %d as unread: %w", seq, err)
	}
	return badge, nil
}

func (b *Inbox) mark(ctx context.Context, seq int64, key string, from, to int) (notifier.Badge, error) {
	p := b.part(seq)
	r, err := b.one(ctx, seq, func(now, _ int64) *redis.Cmd {
		return markEntry.Run(ctx, b.rdb, []string{
			b.k.List(seq), b.k.Hash(seq), b.k.State(seq), p.dirty, p.counts,
		}, key, from, to, now, seq, b.k.LiveUser(seq))
	})
	if err != nil {
		return notifier.Badge{}, err
	}
	return r.badge(), nil
}

// ReadUpto turns every unread entry to read that is not newer than upto: an at
// in decimal, or an entry key, which stands for its at. What came later stays
// unread. It answers notifier.ErrNotFound for a key that is not in this inbox.
func (b *Inbox) ReadUpto(ctx context.Context, seq int64, upto string) (notifier.Badge, error) {
	p, key := b.part(seq), ""
	at, err := strconv.ParseInt(upto, 10, 64)
	switch {
	case upto == "":
		return notifier.Badge{}, fmt.Errorf("mark what user %d saw as read: %w", seq, notifier.ErrNotFound)
	case err != nil || at < 0:
		at, key = 0, upto
	}
	r, err := b.one(ctx, seq, func(now, settled int64) *redis.Cmd {
		return readUpto.Run(ctx, b.rdb, []string{
			b.k.List(seq), b.k.Hash(seq), b.k.State(seq), p.expiry, p.dirty, p.counts,
		}, at, key, now, settled, seq, b.k.LiveUser(seq))
	})
	if err != nil {
		return notifier.Badge{}, fmt.Errorf("mark what user %d saw as read: %w", seq, err)
	}
	return r.badge(), nil
}
