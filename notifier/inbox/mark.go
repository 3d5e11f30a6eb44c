package inbox

import (
	"context"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

// MarkRead marks one entry as read. It returns notifier.ErrNotFound if the key is not in the
// inbox. An entry that is already read stays so.
func (b *Inbox) MarkRead(ctx context.Context, seq int64, key string) (notifier.Badge, error) {
	badge, err := b.mark(ctx, seq, key, marking{to: 1})
	if err != nil {
		return badge, fmt.Errorf("mark an entry of user %d as read: %w", seq, err)
	}
	return badge, nil
}

// Follow is MarkRead for an entry that must still belong to this notice.
func (b *Inbox) Follow(ctx context.Context, seq int64, key string, noticeID int64) (notifier.Badge, error) {
	badge, err := b.mark(ctx, seq, key, marking{to: 1, notice: noticeID})
	if err != nil {
		return badge, fmt.Errorf("mark a followed entry of user %d as read: %w", seq, err)
	}
	return badge, nil
}

// MarkUnread marks one entry as unread, in its place, and keeps it so when the inbox is opened,
// until something else marks it as read. Otherwise it is like MarkRead.
func (b *Inbox) MarkUnread(ctx context.Context, seq int64, key string) (notifier.Badge, error) {
	return b.markUnread(ctx, seq, key, marking{keep: 1})
}

// Unread undoes MarkRead: the next opening marks the entry as read again, unless the user had
// marked it as unread before.
func (b *Inbox) Unread(ctx context.Context, seq int64, key string) (notifier.Badge, error) {
	return b.markUnread(ctx, seq, key, marking{})
}

func (b *Inbox) markUnread(ctx context.Context, seq int64, key string, m marking) (notifier.Badge, error) {
	badge, err := b.mark(ctx, seq, key, m)
	if err != nil {
		return badge, fmt.Errorf("mark an entry of user %d as unread: %w", seq, err)
	}
	return badge, nil
}

// marking says how to mark an entry: to is 1 for read and 0 for unread; keep is 1 to keep it
// unread; notice is the id of the notice that it must belong to, or 0 for any.
type marking struct {
	to, keep int
	notice   int64
}

func (b *Inbox) mark(ctx context.Context, seq int64, key string, m marking) (notifier.Badge, error) {
	p := b.part(seq)
	r, err := b.one(ctx, seq, func(now, _ int64) *redis.Cmd {
		return markEntry.Run(ctx, b.rdb, []string{
			b.k.List(seq), b.k.Hash(seq), b.k.State(seq), p.dirty, p.counts,
		}, key, m.to, now, seq, b.k.LiveUser(seq), m.keep, m.notice)
	})
	if err != nil {
		return notifier.Badge{}, err
	}
	return badgeOf(r), nil
}

// ReadUpto marks every unread entry as read whose at is not above upto: an at in decimal, or the
// key of an entry, which stands for its at. Later entries stay unread. It returns
// notifier.ErrNotFound for a key that is not in the inbox.
func (b *Inbox) ReadUpto(ctx context.Context, seq int64, upto string) (notifier.Badge, error) {
	p, key := b.part(seq), ""
	at, err := strconv.ParseInt(upto, 10, 64)
	switch {
	case upto == "":
		return notifier.Badge{}, fmt.Errorf("mark the entries that user %d saw as read: %w", seq, notifier.ErrNotFound)
	case err != nil || at < 0:
		at, key = 0, upto
	}
	r, err := b.one(ctx, seq, func(now, settled int64) *redis.Cmd {
		return readUpto.Run(ctx, b.rdb, []string{
			b.k.List(seq), b.k.Hash(seq), b.k.State(seq), p.expiry, p.dirty, p.counts,
		}, at, key, now, settled, seq, b.k.LiveUser(seq))
	})
	if err != nil {
		return notifier.Badge{}, fmt.Errorf("mark the entries that user %d saw as read: %w", seq, err)
	}
	return badgeOf(r), nil
}

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
