package inbox

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

// ReadKeys marks the entries of these keys as read. It returns notifier.ErrNotFound if one of
// them is not in the inbox; then none is changed.
func (b *Inbox) ReadKeys(ctx context.Context, seq int64, entryKeys []string) (notifier.Badge, error) {
	badge, err := b.readSome(ctx, seq, func(now, settled int64, keys []string) *redis.Cmd {
		args := make([]any, 0, 4+len(entryKeys))
		args = append(args, now, settled, seq, b.k.LiveUser(seq))
		for _, key := range entryKeys {
			args = append(args, key)
		}
		return readKeys.Run(ctx, b.rdb, keys, args...)
	})
	if err != nil {
		return badge, fmt.Errorf("mark %d entries of user %d as read: %w", len(entryKeys), seq, err)
	}
	return badge, nil
}

// ReadSubject marks every entry about a subject as read, whatever its type. Without such an
// entry nothing changes.
func (b *Inbox) ReadSubject(ctx context.Context, seq int64, subject string) (notifier.Badge, error) {
	badge, err := b.readSome(ctx, seq, func(now, settled int64, keys []string) *redis.Cmd {
		return readSubject.Run(ctx, b.rdb, keys, subject, now, settled, seq, b.k.LiveUser(seq))
	})
	if err != nil {
		return badge, fmt.Errorf("mark the entries of user %d about a subject as read: %w", seq, err)
	}
	return badge, nil
}

func (b *Inbox) readSome(ctx context.Context, seq int64, run func(now, settled int64, keys []string) *redis.Cmd) (notifier.Badge, error) {
	p := b.part(seq)
	keys := []string{b.k.List(seq), b.k.Hash(seq), b.k.State(seq), p.expiry, p.dirty, p.counts}
	r, err := b.one(ctx, seq, func(now, settled int64) *redis.Cmd { return run(now, settled, keys) })
	if err != nil {
		return notifier.Badge{}, err
	}
	return badgeOf(r), nil
}
