package announcement

import (
	"context"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

const (
	toUnread = 0
	toRead   = 1
)

// MarkRead marks an open announcement as read. It returns notifier.ErrNotFound in the same cases as
// Find. Repeating it changes and publishes nothing.
func (b *Announcements) MarkRead(ctx context.Context, r notifier.Reader, id int64) (notifier.Badge, error) {
	return b.markOne(ctx, r, id, toRead)
}

// MarkUnread reverses MarkRead.
func (b *Announcements) MarkUnread(ctx context.Context, r notifier.Reader, id int64) (notifier.Badge, error) {
	return b.markOne(ctx, r, id, toUnread)
}

// ReadAll marks all open announcements that a reader sees as read. It returns the ids of the
// previously unread ones.
func (b *Announcements) ReadAll(ctx context.Context, r notifier.Reader) (ids []int64, badge notifier.Badge, err error) {
	room := b.roomOf(r)
	if room == nil {
		return nil, notifier.Badge{}, nil
	}
	_, rep, err := b.ask(ctx, room, func(x *index) *redis.Cmd { return b.mark(ctx, x, r.Seq, toRead, 0) })
	if err != nil {
		return nil, notifier.Badge{}, fmt.Errorf("mark all announcements for user %d: %w", r.Seq, err)
	}
	for _, v := range rep.Rest[min(3, len(rep.Rest)):] {
		word, _ := v.(string)
		id, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return nil, notifier.Badge{}, fmt.Errorf("%w: id %q", script.ErrReply, word)
		}
		ids = append(ids, id)
	}
	return ids, badgeOf(rep, 0), nil
}

func (b *Announcements) markOne(ctx context.Context, r notifier.Reader, id int64, want int) (notifier.Badge, error) {
	badge, err := b.turn(ctx, r, id, want)
	if err != nil {
		return badge, fmt.Errorf("mark announcement %d for user %d: %w", id, r.Seq, err)
	}
	return badge, nil
}

func (b *Announcements) turn(ctx context.Context, r notifier.Reader, id int64, want int) (notifier.Badge, error) {
	room := b.roomOf(r)
	if room == nil {
		return notifier.Badge{}, notifier.ErrNotFound
	}
	_, rep, err := b.ask(ctx, room, func(x *index) *redis.Cmd {
		place := x.place(id, r.Seq)
		if place < 0 {
			return nil
		}
		return b.mark(ctx, x, r.Seq, want, place+1)
	})
	return badgeOf(rep, 0), err
}

// mark runs the marking script. which is a place from 1, or 0 for all.
func (b *Announcements) mark(ctx context.Context, x *index, seq int64, want, which int) *redis.Cmd {
	args := make([]any, 5, 5+2*len(x.items))
	args[0], args[1], args[2], args[3], args[4] = x.version, seq, b.k.LiveUser(seq), want, which
	for i := range x.items {
		args = append(args, x.items[i].id, x.items[i].top)
	}
	return markBits.Run(ctx, b.rdb, x.mark, args...)
}
